import { chmodSync, chownSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';

/** A listening Unix stream socket. */
export interface UnixServer {
  /** Ends the listening, cuts every connection and removes the path. */
  close(): Promise<void>;
}

export interface UnixServerOptions {
  readonly path: string;
  /** Permission bits of the socket. */
  readonly mode: number;
  /** Group of the socket; the process's own when undefined. */
  readonly gid?: number;
  readonly onConnection: (socket: Socket) => void;
}

/**
 * Binds `path` in place of whatever stands there; the caller holds the right to do so (instance lock, own directory).
 * The socket is never open wider than `mode`, not even between bind and chmod.
 */
export async function listenUnix(options: UnixServerOptions): Promise<UnixServer> {
  const { path, mode, gid } = options;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    options.onConnection(socket);
  });
  rmSync(path, { force: true });
  await bind(server, path);
  // The service has this group and may not change any.
  if (gid !== undefined && statSync(path).gid !== gid) chownSync(path, -1, gid);
  chmodSync(path, mode);
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      // What was written still leaves, the reply to a shutdown among it.
      for (const socket of open) socket.destroySoon();
      await closed;
      try {
        rmSync(path, { force: true });
      } catch {
        // A file system that has become read-only: the path is dead, and the next to bind it takes its place.
      }
    },
  };
}

function bind(server: Server, path: string): Promise<void> {
  // The bind happens inside listen(), so the mask is narrow only for this call.
  const mask = process.umask(0o177);
  try {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path, backlog: 511 }, resolve);
    });
  } finally {
    process.umask(mask);
  }
}
