import { setTimeout as delay } from 'node:timers/promises';

import { toUcpError, UcpError } from '../../../core/errors.ts';
import type { HostPaths } from '../../../core/paths.ts';
import {
  type ConfigAccess,
  type InstanceLock,
  type LoadedConfig,
  loadConfig,
  openStateDir,
  serviceManager,
  startDaemon,
  systemClock,
  systemdNotify,
  takeInstanceLock,
} from '../../../controlplane/index.ts';
import { createEngine } from '../../../engine/docker-engine.ts';
import { connectFirst } from '../../../sandbox/client/connect.ts';
import { openTelemetry, type Telemetry } from '../../../telemetry/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { configAccess } from '../config-access.ts';
import type { UcpdHost } from '../host.ts';
import { lineLogger } from '../logger.ts';
import { groupId, placesToRun } from '../places.ts';
import type { RunOptions } from '../run-args.ts';

/** Idle time after which an on-demand control plane leaves; UCP_IDLE_SECONDS sets another. */
const IDLE_SECONDS = 300;
/** How long a control plane that is starting or leaving may hold up another start, ms. */
const OTHER_MS = 15_000;
const LOOK_MS = 20;
/** How long an unreachable configuration is asked for, and how often, ms. */
const CONFIG_MS = 60_000;
const CONFIG_RETRY_MS = 5_000;

/** `ucpd run`: serves until it is told to leave, or until it is idle where it was started on demand. */
export async function run(options: RunOptions, host: UcpdHost): Promise<number> {
  const { onDemand } = options;
  const paths = placesToRun(host, onDemand);
  const owner = openStateDir(paths.stateDir);
  const lock = await lockOrFind(owner, paths);
  if (lock === undefined) {
    if (onDemand) return EXIT.ok;
    throw new UcpError('CONTROLPLANE_RUNNING', `A control plane already serves ${paths.socket}: see \`ucpd status\`.`);
  }
  const logger = lineLogger(host.stderr, host.env['UCP_DEBUG'] !== undefined);
  const source = configSource(options, host, paths);
  const access = configAccess(host, paths.stateDir, logger);
  const config = await firstConfig(source, access);
  const telemetry = openEvents(config, paths.stateDir);
  const daemon = await startDaemon({
    paths,
    owner,
    onDemand,
    idleMs: Number(host.env['UCP_IDLE_SECONDS'] ?? IDLE_SECONDS) * 1000,
    socketGroup: onDemand ? undefined : groupId('ucp'),
    config,
    readConfig: () => loadConfig(source.from, source.required, { ...access, fresh: true }),
    engine: createEngine(host.env, host.home),
    telemetry,
    clock: systemClock,
    logger,
  });
  logger.info('serving', { socket: paths.socket, config: config.found ? config.from : 'none' });
  const manager = serviceManager({ env: host.env, clock: systemClock, send: systemdNotify(logger) });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      manager.stopping();
      daemon.leave();
    });
  }
  // On demand it is the end of the terminal that the front end which started us had; we outlive it.
  process.on('SIGHUP', () => {
    if (!onDemand) void daemon.reload();
  });
  manager.ready(() => daemon.summary());
  await daemon.left;
  await lock.release();
  return EXIT.ok;
}

interface ConfigSource {
  readonly from: string;
  readonly required: boolean;
}

/**
 * A configuration that somebody named must be there; on demand the usual place may be empty, also where UCP_CONFIG sets
 * it.
 */
function configSource({ config, onDemand }: RunOptions, host: UcpdHost, paths: HostPaths): ConfigSource {
  const fromEnv = host.env['UCP_CONFIG'];
  const required = config !== undefined || (fromEnv !== undefined && !onDemand);
  return { from: config ?? fromEnv ?? paths.config, required };
}

/** A bucket that does not answer yet is asked for a minute: at boot the network may come after us. */
async function firstConfig({ from, required }: ConfigSource, access: ConfigAccess): Promise<LoadedConfig> {
  for (const end = Date.now() + CONFIG_MS; ; await delay(CONFIG_RETRY_MS)) {
    try {
      return await loadConfig(from, required, access);
    } catch (thrown) {
      const error = toUcpError(thrown);
      if (error.code !== 'POLICY_SOURCE_UNREACHABLE' || Date.now() > end) throw error;
      access.logger.warn('the configuration can not be read yet', { cause: error.message });
    }
  }
}

function openEvents({ config }: LoadedConfig, stateDir: string): Telemetry {
  const { event_url: eventUrl, event_headers: headers } = config;
  return openTelemetry({
    stateDir,
    clock: systemClock,
    ...(eventUrl === undefined ? {} : { eventUrl }),
    ...(headers === undefined ? {} : { headers }),
  });
}

/** The lock, or undefined when another control plane has it and answers. */
async function lockOrFind(owner: string, paths: HostPaths): Promise<InstanceLock | undefined> {
  for (const end = Date.now() + OTHER_MS; Date.now() < end; await delay(LOOK_MS)) {
    const lock = await takeInstanceLock(owner);
    if (lock !== undefined) return lock;
    const client = await connectFirst([paths.socket]);
    if (client === undefined) continue;
    client.close();
    return undefined;
  }
  throw new UcpError(
    'CONTROLPLANE_RUNNING',
    `Another control plane holds ${paths.stateDir} and does not answer on ${paths.socket}: end it and start again.`,
  );
}
