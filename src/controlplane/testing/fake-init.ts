import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';

/** A process that speaks on a sandbox's init socket. */
export class FakeInit {
  readonly #socket: Socket;
  text = '';
  closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (this.text += chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
  }

  /** Connects and says `ready`, as init does. */
  static async start(dir: string, words = 'ready 1\n'): Promise<FakeInit> {
    const socket = createConnection(join(dir, 'init.sock'));
    await once(socket, 'connect');
    const init = new FakeInit(socket);
    init.say(words);
    return init;
  }

  say(words: string): void {
    this.#socket.write(words);
  }

  end(): void {
    this.#socket.destroy();
  }
}
