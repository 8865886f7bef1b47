import { statusSocket } from '../../core/paths.ts';
import { type Handlers, serveConnection } from './connection.ts';
import { readOnly } from './read-only.ts';
import { listenUnix, type UnixServer } from './unix-server.ts';

/** Anybody may connect here: so many at a time, each for so long without a word (ms), with so short lines (bytes). */
const CONNECTIONS = 32;
const SILENCE = 10_000;
const LIMITS = { line: 4096, backlog: 1024 * 1024 };

/** Serves the state of a service beside its main socket, to every user of the host. */
export function serveStatus(socketPath: string, handlers: Handlers): Promise<UnixServer> {
  const answers = readOnly(handlers);
  let connections = 0;
  return listenUnix({
    path: statusSocket(socketPath),
    mode: 0o666,
    onConnection: (socket) => {
      if (connections >= CONNECTIONS) {
        socket.on('error', () => undefined);
        socket.destroy();
        return;
      }
      connections += 1;
      socket.once('close', () => (connections -= 1));
      socket.setTimeout(SILENCE, () => socket.destroy());
      serveConnection(socket, answers, LIMITS);
    },
  });
}
