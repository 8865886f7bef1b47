import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** One connection of an init: what it said so far, and its end. */
export class InitConnection {
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  #text = '';
  readonly #readers = new Set<() => void>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.#text += chunk;
      for (const read of this.#readers) read();
    });
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** All that it said, byte by byte. */
  get text(): string {
    return this.#text;
  }

  /** Resolves when it has said `text`. */
  said(text: string): Promise<void> {
    return new Promise((resolve) => {
      const read = (): void => {
        if (this.#text.includes(text)) resolve();
      };
      this.#readers.add(read);
      read();
    });
  }

  send(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The control plane's end of a sandbox's init socket, in `<dir>/init.sock`. */
export class InitSocket {
  readonly #server: Server;
  readonly #path: string;
  readonly #waiting: ((connection: InitConnection) => void)[] = [];
  readonly #come: InitConnection[] = [];
  readonly #all: InitConnection[] = [];

  private constructor(dir: string) {
    this.#path = join(dir, 'init.sock');
    this.#server = createServer((socket) => {
      const connection = new InitConnection(socket);
      this.#all.push(connection);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#come.push(connection);
      else waiting(connection);
    });
  }

  /** Listens; anybody on the machine may connect, as with a sandbox's own socket. */
  static async listen(dir: string): Promise<InitSocket> {
    const made = new InitSocket(dir);
    rmSync(made.#path, { force: true });
    await new Promise<void>((resolve) => made.#server.listen(made.#path, resolve));
    chmodSync(made.#path, 0o666);
    return made;
  }

  /** The next init that connects, when it has said `ready`. */
  async ready(): Promise<InitConnection> {
    const connection =
      this.#come.shift() ?? (await new Promise<InitConnection>((resolve) => this.#waiting.push(resolve)));
    await connection.said('\n');
    return connection;
  }

  async close(): Promise<void> {
    for (const connection of this.#all) connection.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
