/**
 * Keeps the sensors in child processes and tells of them.
 *
 * Since: all supported Nodes. `spawn`, `exec`, `execFile` and `fork` end in `ChildProcess.prototype.spawn`;
 * `spawnSync`, `execFileSync` and `execSync` don't, so these three are wrapped themselves.
 * Can't see: launchers that clear the environment (`env -i node …`), children of children that aren't Node or Python.
 */
import type { ChildProcess } from 'node:child_process';
import module from 'node:module';

import { redactArguments, redactSecrets } from '../events/redact.ts';
import { builtin } from '../load/builtin.ts';
import { threadId } from '../runtime/thread.ts';
import type { Sensor } from '../sensor.ts';
import { guarded, wrap } from '../wrap.ts';
import { injected, injectPairs, type Injection } from './child-env.ts';

/** What Node hands to `ChildProcess.prototype.spawn`. */
interface SpawnOptions {
  readonly file?: string;
  readonly args?: readonly string[];
  envPairs?: string[];
}

/** Arguments of an event: enough to recognise a command, not a copy of a large one. */
const MAX_ARGS = 64;

/** `spawned`: told of every child that runs beside the program. */
export function installChildren(
  sensor: Sensor,
  injection: Injection,
  spawned: (child: ChildProcess, server: { readonly command: string; readonly args: readonly string[] }) => void,
): void {
  const report = (error: unknown): void => sensor.report('child process', error);
  const childProcess = builtin('node:child_process') as typeof import('node:child_process');
  wrap(
    childProcess.ChildProcess.prototype,
    'spawn',
    (spawn) =>
      function (this: unknown, ...args: unknown[]) {
        const options = args[0] as SpawnOptions;
        guarded(report, () => {
          tell(sensor, options.file ?? '', options.args ?? []);
          if (Array.isArray(options.envPairs)) injectPairs(options.envPairs, injection);
        });
        const result = spawn.apply(this, args);
        guarded(report, () =>
          spawned(this as ChildProcess, { command: options.file ?? '', args: (options.args ?? []).slice(1) }),
        );
        return result;
      },
  );
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    wrap(
      childProcess,
      name,
      (original) =>
        function (this: unknown, ...args: unknown[]) {
          let passed = args;
          guarded(report, () => {
            const listed: unknown = args[1];
            tell(sensor, String(args[0]), Array.isArray(listed) ? [String(args[0]), ...listed.map(String)] : []);
            passed = withEnvironment(args, injection);
          });
          return original.apply(this, passed);
        },
    );
  }
  module.syncBuiltinESMExports();
}

/** `process.execve` (22.15, 23.11): the program that takes this one's place gets the sensors too. */
export function installExecve(sensor: Sensor, injection: Injection): void {
  wrap(
    process,
    'execve',
    (execve) =>
      function (this: unknown, ...args: unknown[]) {
        let passed = args;
        guarded(
          (error) => sensor.report('execve', error),
          () => {
            const [file, listed, env = process.env] = args as [unknown, unknown, NodeJS.ProcessEnv | undefined];
            if (typeof env !== 'object' || env === null) return; // Node says what is wrong with it.
            tell(sensor, String(file), Array.isArray(listed) ? listed.map(String) : []);
            sensor.events.flush();
            passed = [file, listed ?? [], { ...env, ...injected((name) => env[name], injection) }];
          },
        );
        return execve.apply(this, passed);
      },
  );
}

/** Arguments of a synchronous function with our variables in `options.env`; the program's objects stay untouched. */
function withEnvironment(args: readonly unknown[], injection: Injection): unknown[] {
  const index = args.findIndex((arg, at) => at > 0 && typeof arg === 'object' && arg !== null && !Array.isArray(arg));
  const options = (index === -1 ? {} : args[index]) as { env?: NodeJS.ProcessEnv };
  const env = options.env ?? process.env;
  const passed = { ...options, env: { ...env, ...injected((name) => env[name], injection) } };
  if (index !== -1) return args.with(index, passed);
  // Node takes `undefined` in place of `args`; options go behind what is there.
  return [...args.filter((arg) => arg !== undefined), passed];
}

function tell(sensor: Sensor, file: string, args: readonly string[]): void {
  if (!sensor.settings().runtime.exec) return;
  const shown = redactSecrets(file); // `execSync` has a whole command line here
  sensor.events.emit({
    name: 'process_spawn',
    domain: 'runtime',
    // Which thread is about to, and when: by that the kernel's events of the child find the request.
    body: {
      file: shown,
      args: redactArguments(args.slice(1, MAX_ARGS)),
      pid: process.pid,
      tid: threadId(),
      clock_ns: Number(process.hrtime.bigint()),
    },
    attributes: { 'process.executable.path': shown, ...sensor.attribution.attributes() },
  });
  // Before the child is: what comes later is not known to belong together.
  sensor.events.flush();
}
