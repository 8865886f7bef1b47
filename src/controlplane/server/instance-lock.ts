import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';

import { toUcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';

/** Held by the one control plane of a state directory; the kernel releases it when the process ends in any way. */
export interface InstanceLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of `owner` (the state directory's secret id), or undefined when another process holds it. It is a
 * name in the abstract socket namespace: taken atomically, and gone with its process, so it can't be stale as a file
 * can. The name is a hash, so only who may read the state directory can compute it and block a start.
 */
export async function takeInstanceLock(owner: string): Promise<InstanceLock | undefined> {
  const name = `\0ucpd-${createHash('sha256').update(`ucpd instance ${owner}`).digest('hex').slice(0, 40)}`;
  const server = createServer((socket) => socket.destroy());
  try {
    await listen(server, name);
  } catch (thrown) {
    if (field(thrown, 'code') === 'EADDRINUSE') return undefined;
    throw toUcpError(thrown);
  }
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}
