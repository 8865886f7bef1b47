import { createSocket } from 'node:dgram';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';

import { PORT, type Visit, type WorldConfig } from './protocol.ts';
import type { Zone } from './zone.ts';

/** Address without the notation that sockets for both protocols have. */
function plain(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/, '');
}

/** Everything that listens in the world. Servers hear at every address of the namespace. */
export class Sites {
  readonly visits: Visit[] = [];
  readonly #zone: Zone;

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  async start({ addresses, cert, key }: WorldConfig): Promise<void> {
    const web = (kind: 'http' | 'https') => (request: IncomingMessage, response: ServerResponse) => {
      this.#web(kind, request, response);
    };
    await Promise.all([
      listen(createHttp(web('http')), 80),
      listen(createHttps({ cert, key }, web('https')), 443),
      listen(createTcp(this.#dns('tcp')), 53),
      listen(createTls({ cert, key }, this.#dns('tls')), 853),
      listen(createTcp(this.#stream(true)), PORT.stream),
      listen(createTcp(this.#stream(false)), PORT.banner),
      ...addresses.flatMap((address) => [this.#dnsUdp(address), this.#echo(address, PORT.echo)]),
    ]);
  }

  #saw(kind: Visit['kind'], socket: Socket, what: string): void {
    const [address, from] = [plain(socket.localAddress), plain(socket.remoteAddress)];
    this.visits.push({ kind, address, port: socket.localPort ?? 0, from, what });
  }

  #web(kind: 'http' | 'https', request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    this.#saw(kind, request.socket, `${request.headers.host ?? ''}${url.split('?')[0]}`);
    if (!url.startsWith('/dns-query')) {
      response.end(`hello from ${plain(request.socket.localAddress)}\n`);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const given = new URLSearchParams(url.split('?')[1]).get('dns');
      const packet = given === null ? Buffer.concat(chunks) : Buffer.from(given, 'base64url');
      const answer = this.#zone.answer(packet, 'https', plain(request.socket.localAddress));
      response.writeHead(200, { 'content-type': 'application/dns-message' }).end(answer);
    });
  }

  #dns(transport: 'tcp' | 'tls') {
    return (socket: Socket): void => {
      let read = Buffer.alloc(0);
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        read = Buffer.concat([read, chunk]);
        while (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) {
          const length = read.readUInt16BE(0);
          const answer = this.#zone.answer(read.subarray(2, 2 + length), transport, plain(socket.localAddress));
          read = read.subarray(2 + length);
          if (answer !== undefined) {
            socket.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
          }
        }
      });
    };
  }

  #dnsUdp(address: string): Promise<void> {
    return bound(address, 53, (packet, reply) => {
      const answer = this.#zone.answer(packet, 'udp', address);
      if (answer !== undefined) reply(answer);
    });
  }

  #echo(address: string, port: number): Promise<void> {
    return bound(address, port, (packet, reply, from) => {
      this.visits.push({ kind: 'udp', address, port, from, what: packet.toString() });
      reply(packet);
    });
  }

  #stream(goesOn: boolean) {
    return (socket: Socket): void => {
      this.#saw('stream', socket, 'opened');
      const timer = goesOn ? setInterval(() => socket.write('tick\n'), 100) : undefined;
      // Addresses are gone from a socket that was reset.
      const ended = { ...this.visits.at(-1), what: 'closed' };
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(timer);
        this.visits.push(ended as Visit);
      });
      socket.resume();
      if (goesOn) socket.write('tick\n');
      else socket.end('banner\n');
    };
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '::', resolve);
  });
}

function bound(
  address: string,
  port: number,
  hear: (packet: Buffer, reply: (packet: Buffer) => void, from: string) => void,
): Promise<void> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (packet, from) => {
    hear(packet, (sent) => socket.send(sent, from.port, from.address), from.address);
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.bind(port, address, resolve);
  });
}
