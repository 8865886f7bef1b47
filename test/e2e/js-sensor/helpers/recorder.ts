import net from 'node:net';

/** One request and what came back for it, as the bytes that went over the wire (latin1). */
export interface Exchange {
  request: string;
  response: string;
}

/** A plain TCP proxy that keeps what passes: no pipelining, bodies by content-length. */
export class Recorder implements AsyncDisposable {
  /** The port of the server; to be set before the first connection. */
  target = 0;
  readonly #exchanges: Exchange[] = [];
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((client) => this.#connected(client));

  static async listening(): Promise<Recorder> {
    const recorder = new Recorder();
    await new Promise<void>((resolve) => {
      recorder.#server.listen(0, '127.0.0.1', resolve);
    });
    return recorder;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** What passed, in the order of the requests' texts: programs open connections side by side. `plain` takes what is random away. */
  exchanges(plain: (text: string) => string): readonly Exchange[] {
    return this.#exchanges
      .map(({ request, response }) => ({ request: plain(request), response: plain(response) }))
      .toSorted((a, b) => (a.request < b.request ? -1 : Number(a.request > b.request)));
  }

  /** Sends a request by hand; the answer. */
  async ask(request: string): Promise<string> {
    const socket = net.connect(this.port, '127.0.0.1');
    socket.setEncoding('latin1').write(request);
    let answer = '';
    for await (const chunk of socket) {
      answer += chunk as string;
      if (/^transfer-encoding: chunked/im.test(answer) ? answer.endsWith('\r\n0\r\n\r\n') : isWhole(answer)) break;
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #connected(client: net.Socket): void {
    const server = net.connect(this.target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setEncoding('latin1').on('error', () => {});
    }
    let current: Exchange | undefined;
    client.on('data', (chunk: string) => {
      if (current === undefined || isWhole(current.request)) {
        current = { request: '', response: '' };
        this.#exchanges.push(current);
      }
      current.request += chunk;
      server.write(chunk, 'latin1');
    });
    server.on('data', (chunk: string) => {
      if (current !== undefined) current.response += chunk;
      client.write(chunk, 'latin1');
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.end());
  }
}

function isWhole(message: string): boolean {
  const head = message.indexOf('\r\n\r\n');
  const length = /^content-length: (\d+)\r$/im.exec(message)?.[1] ?? '0';
  return head !== -1 && message.length >= head + 4 + Number(length);
}
