import { dirname, join } from 'node:path';

import { UcpError } from './errors.ts';

/** Where a control plane and its clients meet and what it keeps. Absolute paths. */
export interface HostPaths {
  /** The control plane's Unix socket. */
  readonly socket: string;
  /** Persistent: policy, spool, `sandboxes/<id>/`. Must outlive a reboot (restart policies mount from it). */
  readonly stateDir: string;
  /** The configuration file or URL that is read when none is named. */
  readonly config: string;
}

/** Longest path of a Unix socket on Linux, bytes (sun_path less its NUL). */
const MAX_SOCKET_PATH = 107;

/** The installed service's places (DESIGN §13). */
export const SERVICE_PATHS: HostPaths = {
  socket: '/run/ucp/ucpd.sock',
  stateDir: '/var/lib/ucp',
  config: '/etc/ucp/config.yaml',
};

/**
 * The places of a control plane on demand: XDG directories of the user. `UCP_SOCKET`, `UCP_STATE_DIR` and `UCP_CONFIG`
 * override each one (tests and several control planes side by side).
 */
export function userPaths(env: Readonly<Record<string, string | undefined>>, home: string): HostPaths {
  const stateDir = env['UCP_STATE_DIR'] ?? `${env['XDG_STATE_HOME'] ?? `${home}/.local/state`}/ucp`;
  const runtimeDir = env['XDG_RUNTIME_DIR'] === undefined ? `${stateDir}/run` : `${env['XDG_RUNTIME_DIR']}/ucp`;
  const socket =
    env['UCP_SOCKET'] ?? (env['UCP_STATE_DIR'] === undefined ? `${runtimeDir}/ucpd.sock` : `${stateDir}/ucpd.sock`);
  const config = env['UCP_CONFIG'] ?? `${env['XDG_CONFIG_HOME'] ?? `${home}/.config`}/ucp/config.yaml`;
  assertSocketPath(socket);
  return { socket, stateDir, config };
}

/** The socket beside the service's main one where every user of the host may read its state. */
export function statusSocket(socket: string): string {
  return join(dirname(socket), 'status.sock');
}

/** Throws USAGE when `path` can't be bound as a Unix socket. */
export function assertSocketPath(path: string): void {
  const length = Buffer.byteLength(path);
  if (length > MAX_SOCKET_PATH) {
    throw new UcpError(
      'USAGE',
      `The socket path ${path} has ${length} bytes; Linux takes ${MAX_SOCKET_PATH}. Set UCP_STATE_DIR or UCP_SOCKET to a shorter path.`,
    );
  }
}
