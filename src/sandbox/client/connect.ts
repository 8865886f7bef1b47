import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { UcpError } from '../../core/errors.ts';
import { SERVICE_PATHS, userPaths } from '../../core/paths.ts';
import { PROTOCOL_VERSION } from '../../core/protocol.ts';
import { ControlClient } from './control-client.ts';
import { openSocket } from './open-socket.ts';
import type { StartedControlPlane } from './start-control-plane.ts';

/** Where a control plane is looked for, and how one is started. */
export interface ControlHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The `ucpd` program: a file that node runs. */
  readonly ucpd: string;
}

/** How long a control plane may take from its start to its first answer, ms. */
const START_MS = 20_000;
/** How often its socket is tried meanwhile, ms. */
const POLL_MS = 10;

/**
 * Connects to the service if there is one, else to the user's own control plane, started in the background where none
 * runs. UCP_SOCKET or UCP_STATE_DIR in the environment name that one alone.
 */
export async function connectControlPlane(host: ControlHost): Promise<ControlClient> {
  const user = userPaths(host.env, host.home);
  const found =
    (await connectFirst(socketsOf(host))) ?? (namesOwn(host) ? undefined : await restarting(SERVICE_PATHS.socket));
  if (found !== undefined) return found;
  const { lastLine, startControlPlane } = await import('./start-control-plane.ts');
  const started = startControlPlane(host.ucpd, user.stateDir, host.env);
  const end = Date.now() + START_MS;
  while (Date.now() < end) {
    // Looked at before the socket: a control plane that leaves because another was faster has left one that answers.
    const ended = started.ended();
    const client = await connectFirst([user.socket]);
    if (client !== undefined) return client;
    if (ended) throw notStarted(started, lastLine(started.logFile), 'it ended at once');
    await delay(POLL_MS);
  }
  throw notStarted(started, lastLine(started.logFile), `it did not answer within ${START_MS / 1000} s`);
}

/** The main sockets that are tried, in this order. */
export function socketsOf(host: ControlHost): readonly string[] {
  const { socket } = userPaths(host.env, host.home);
  return namesOwn(host) ? [socket] : [SERVICE_PATHS.socket, socket];
}

function namesOwn({ env }: ControlHost): boolean {
  return env['UCP_SOCKET'] !== undefined || env['UCP_STATE_DIR'] !== undefined;
}

/**
 * The service that is about to answer again: its directory outlives its restarts, not its stop. Another control plane in
 * its place would know neither its policy nor its sandboxes. Undefined where there is no service.
 */
async function restarting(socket: string): Promise<ControlClient | undefined> {
  for (const end = Date.now() + START_MS; existsSync(dirname(socket)); await delay(POLL_MS)) {
    const client = await connectFirst([socket]);
    if (client !== undefined) return client;
    if (Date.now() < end) continue;
    throw new UcpError(
      'CONTROLPLANE_UNREACHABLE',
      `The service does not answer on ${socket}, after ${START_MS / 1000} s: see \`systemctl status ucpd\`.`,
    );
  }
  return undefined;
}

/** The first of these sockets where a control plane answers. */
export async function connectFirst(sockets: readonly string[]): Promise<ControlClient | undefined> {
  for (const path of sockets) {
    const socket = await openSocket(path);
    if (socket === undefined) continue;
    const client = new ControlClient(socket);
    try {
      await client.call('hello', { version: PROTOCOL_VERSION });
      return client;
    } catch (error) {
      client.close();
      // It was about to leave: as good as absent.
      if (!(error instanceof UcpError && error.code === 'CONTROLPLANE_UNREACHABLE')) throw error;
    }
  }
  return undefined;
}

function notStarted(started: StartedControlPlane, said: string, how: string): UcpError {
  return new UcpError(
    'CONTROLPLANE_UNREACHABLE',
    `The control plane could not be started: ${how}. ${said === '' ? '' : `It said: ${said} `}(log: ${started.logFile})`,
  );
}
