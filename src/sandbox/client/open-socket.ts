import { createConnection, type Socket } from 'node:net';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';

/** Nobody listens: the socket is absent, or left over from a process that is gone. */
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

/** Connects to a Unix socket; undefined when nobody listens there. Throws CONTROLPLANE_DENIED. */
export async function openSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    const onError = (cause: Error): void => {
      const errno = String(field(cause, 'code'));
      if (ABSENT.has(errno)) return resolve(undefined);
      const denied = errno === 'EACCES' || errno === 'EPERM';
      reject(
        denied
          ? new UcpError(
              'CONTROLPLANE_DENIED',
              `No permission on the control plane's socket ${path}: join the group that owns it (usually ucp) and log in again.`,
              { cause },
            )
          : new UcpError('CONTROLPLANE_UNREACHABLE', `The control plane at ${path} cannot be reached (${errno}).`, {
              cause,
            }),
      );
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      resolve(socket);
    });
  });
}
