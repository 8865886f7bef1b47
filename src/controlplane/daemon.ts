import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { toUcpError, UcpError } from '../core/errors.ts';
import { asJson } from '../core/json.ts';
import type { HostPaths } from '../core/paths.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { Engine } from '../engine/engine.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { startAdoption } from './adoption.ts';
import { compose } from './compose.ts';
import { keyIsPinned } from './config/key-pin.ts';
import { LiveConfig } from './config/live-config.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { handlers } from './handlers.ts';
import { leaveWhenIdle } from './idle.ts';
import { Latch } from './sandboxes/latch.ts';
import { serveConnection } from './server/connection.ts';
import { serveStatus } from './server/status-server.ts';
import { listenUnix } from './server/unix-server.ts';
import { statusReport } from './status.ts';

/** How long removals under way may hold up a shutdown, ms. */
const LAST_REMOVALS = 5_000;
/** How long events may take to leave at a shutdown, ms; the rest waits on disk. */
const LAST_EVENTS = 2_000;

export interface DaemonOptions {
  readonly paths: HostPaths;
  /** Id of the state directory, whose instance lock the caller holds. */
  readonly owner: string;
  readonly onDemand: boolean;
  /** Milliseconds of idleness after which an on-demand control plane leaves. */
  readonly idleMs: number;
  /** Group that may use the service's socket. */
  readonly socketGroup: number | undefined;
  readonly config: LoadedConfig;
  /** Reads the configuration again, from the same place; rejects where it can't be read or understood. */
  readonly readConfig: () => Promise<LoadedConfig>;
  readonly engine: Engine;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A control plane that serves its socket. */
export interface Daemon {
  /** Leaves: new runs are refused, removals under way are finished, sandboxes go on. */
  leave(): void;
  /** Reads the configuration again; a bad one is refused and logged. Never rejects. */
  reload(): Promise<void>;
  /** Policy and sandboxes in one line. */
  summary(): string;
  /** Resolves when it has left. */
  readonly left: Promise<void>;
}

/** Starts the control plane; resolves when it answers on its socket. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { paths, onDemand, clock, logger, telemetry } = options;
  const startedAt = clock.now();
  const composition = compose(options);
  const { sandboxes, sandboxContext, policyPart, prepareContext, hostSensors } = composition;
  if (!keyIsPinned(options.config.config)) {
    logger.warn('the public key comes from a bucket and is not pinned: set ucpcm.public_key_sha256');
  }
  sandboxes.watch();
  const adopted = startAdoption(sandboxContext, sandboxes);
  let connections = 0;
  let leaving = false;
  const gone = new Latch();
  const { store, loader, poller } = policyPart;
  const configuration = new LiveConfig({
    config: options.config,
    read: options.readConfig,
    policyPart,
    enforcement: composition.enforcement,
    telemetry,
    logger,
  });
  const status = () =>
    statusReport({
      onDemand,
      startedAt,
      socket: paths.socket,
      stateDir: paths.stateDir,
      configFrom: configuration.loaded.found ? configuration.loaded.from : null,
      loader,
      poller,
      store,
      absences: prepareContext.absences,
      sandboxes,
      keyPinned: keyIsPinned(configuration.loaded.config),
      outdated: () => composition.outdated(loader.inForce),
      processEvents: () => composition.enforcement.trace.status(),
      telemetry: () => asJson(telemetry.counters()),
    });
  const leave = (): void => {
    if (leaving) return;
    leaving = true;
    logger.info('leaving');
    // Once the sockets are closed nothing else keeps the process from ending before the last events are written.
    const alive = setInterval(() => undefined, 60_000);
    void finish().finally(() => {
      clearInterval(alive);
      gone.set();
    });
  };
  const answers = handlers({
    sandboxes,
    sandboxContext,
    prepareContext,
    adopted,
    leaving: () => leaving,
    trial: async () => composition.enforcement.trial(),
    status,
    sync: () => poller.check(),
    reload: () => configuration.reload(),
    leave,
  });
  const server = await listen(options, (socket) => {
    connections += 1;
    socket.once('close', () => (connections -= 1));
    serveConnection(socket, answers);
  });
  const statusServer = onDemand ? undefined : await serveStatus(paths.socket, answers);
  const unwritten = (thrown: unknown): void => logger.warn(toUcpError(thrown).message);
  await hostSensors.open();
  // Programs of the host start under policy like sandboxes: on a cold start after the first check.
  void policyPart.ready.then(() => hostSensors.put(loader.inForce)).catch(unwritten);
  const finish = async (): Promise<void> => {
    // The request that asked for it gets its reply first.
    await setImmediate();
    poller.stop();
    await Promise.race([
      sandboxes.endings.idle(),
      new Promise<void>((resolve) => void clock.after(LAST_REMOVALS, resolve)),
    ]);
    sandboxes.leave();
    await server.close();
    await statusServer?.close();
    // The service comes back, and until then nobody starts without policy.
    await hostSensors.close({ forget: onDemand });
    await sandboxes.close();
    await composition.enforcement.close(sandboxContext.registry.all().some(({ alive }) => alive));
    await telemetry.close(LAST_EVENTS);
  };
  const busy = (): boolean => connections > 0 || hostSensors.connections > 0 || sandboxes.busy;
  if (onDemand) leaveWhenIdle({ clock, ms: options.idleMs, busy, leave });
  const summary = (): string => {
    const { policy_id: id, version } = loader.inForce.ref;
    return `policy ${id} version ${version} (${loader.state.inForce}), sandboxes: ${sandboxes.list(false).length}`;
  };
  const reload = async (): Promise<void> => {
    await configuration.reload().catch(() => undefined);
  };
  return { leave, reload, summary, left: gone.settled() };
}

async function listen(options: DaemonOptions, onConnection: Parameters<typeof listenUnix>[0]['onConnection']) {
  const { paths, onDemand, socketGroup } = options;
  const dir = dirname(paths.socket);
  try {
    mkdirSync(dir, { recursive: true, mode: onDemand ? 0o700 : 0o755 });
    return await listenUnix({
      path: paths.socket,
      mode: onDemand ? 0o600 : 0o660,
      ...(socketGroup === undefined ? {} : { gid: socketGroup }),
      onConnection,
    });
  } catch (cause) {
    throw new UcpError('STATE_UNUSABLE', `The socket ${paths.socket} can't be made: ${String(cause)}.`, { cause });
  }
}
