import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

import { KernelConnection } from '../kernel/connection.ts';

/** Listens at the path and resolves to the connection that a helper makes to it, greeted. */
export async function awaitConnection(path: string): Promise<KernelConnection> {
  const server = createServer().listen({ path, writableAll: true });
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  const connection = new KernelConnection(socket);
  await connection.accepted({ op: 'hello', protocol: 1 });
  return connection;
}
