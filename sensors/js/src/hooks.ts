import module from 'node:module';

import { type Injection, injectionOf } from './inject/child-env.ts';
import { installChildren, installExecve } from './inject/children.ts';
import { installWorkers } from './inject/workers.ts';
import { installLlm } from './llm/fetch.ts';
import { FirstUse, onlyOnce } from './load/first-use.ts';
import { installLoader } from './load/register.ts';
import { HOOK } from './load/rewrite.ts';
import { announceLists } from './mcp/list-changed.ts';
import { Taps } from './mcp/start-hook.ts';
import type { Places } from './places.ts';
import { installCode } from './runtime/code.ts';
import { installVm } from './runtime/vm.ts';
import { installFsWrites } from './runtime/fs-writes.ts';
import { installNetwork } from './runtime/network.ts';
import type { Sensor } from './sensor.ts';
import { installStdin, watchChild } from './stdio/install.ts';
import { guarded } from './wrap.ts';

/** What the hooks need to know besides the sensor. */
export interface HookOptions {
  /** Absolute path of the preload file. */
  readonly preload: string;
  /** The connection to the control plane's socket is no event. */
  readonly places: Pick<Places, 'policyFile' | 'socket'>;
  /** What the children of the thread that made this one get. */
  readonly inherited: Injection | undefined;
}

/** Modules of Node's that connect, and those that start children, by whatever name a program asks for them. */
const NETWORK = ['net', 'http', 'https', 'http2', 'tls', '_http_agent', '_http_client', '_tls_wrap'].map(url);
const CHILDREN = ['child_process', 'cluster', 'test'].map(url);

function url(name: string): string {
  return `node:${name}`;
}

/** Puts every hook in place. One that fails is told of and leaves the others alone. */
export function installHooks(sensor: Sensor, options: HookOptions): { policyChanged(): void } {
  const taps = new Taps(sensor);
  const builtins = new FirstUse((error) => sensor.report('hook', error));
  const writes = onceWanted(
    () => sensor.settings().runtime.fs,
    () => installFsWrites(sensor),
  );
  const network = onlyOnce(() => {
    sensor.events.begin();
    installNetwork(sensor, options.places.socket);
  });
  const injection = options.inherited ?? injectionOf(process.env, options.preload, options.places);
  const install: Readonly<Record<string, () => void>> = {
    mcp: () => {
      Object.defineProperty(globalThis, HOOK, {
        value: (owner: unknown, publicField?: number) => taps.start(owner, publicField === 1),
      });
      installLoader(builtins);
    },
    children: () =>
      builtins.before(CHILDREN, () =>
        installChildren(sensor, injection, (child, server) => watchChild(sensor, taps, child, server)),
      ),
    execve: () => installExecve(sensor, injection),
    stdin: () => installStdin(sensor, taps),
    workers: () => builtins.before(['node:worker_threads'], () => installWorkers(sensor, injection)),
    network: () => {
      builtins.before(NETWORK, network);
      // What connects without a module that is asked for (WebSocket) has to wait for its turn.
      process.nextTick(() => guarded((error) => sensor.report('hook network', error), network));
    },
    code: () => installCode(sensor),
    vm: () => builtins.before(['node:vm'], () => installVm(sensor)),
    fs: writes,
    llm: () => installLlm(sensor, network),
    exports: () => builtins.before(['node:process'], () => module.syncBuiltinESMExports()),
  };
  for (const [name, put] of Object.entries(install)) guarded((error) => sensor.report(`hook ${name}`, error), put);
  return {
    policyChanged: () => {
      guarded((error) => sensor.report('hook fs', error), writes);
      announceLists(sensor, taps);
    },
  };
}

/** Puts a hook in place the first time that policy wants it, and then for good. */
function onceWanted(wanted: () => boolean, put: () => void): () => void {
  let done = false;
  return () => {
    if (done || !wanted()) return;
    done = true;
    put();
    module.syncBuiltinESMExports();
  };
}
