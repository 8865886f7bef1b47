import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createConnection } from 'node:net';

import { readAnswer, type UpstreamAnswer, type UpstreamQuestion, writeQuestion } from './upstream-packet.ts';

/** What a name and type are asked of. */
export interface Upstream {
  /** The first whole answer of `servers`, asked one after another; undefined when none has one in time. Never rejects. */
  ask(servers: readonly string[], question: Omit<UpstreamQuestion, 'id'>): Promise<UpstreamAnswer | undefined>;
}

/** Times in ms. A client waits 5 s (resolv.conf's default), so all attempts together end before. */
export interface UpstreamOptions {
  readonly port?: number;
  /** For one server, by UDP. */
  readonly udpTimeout?: number;
  /** For one server, by TCP: connect, ask, answer. */
  readonly tcpTimeout?: number;
  /** For one question. */
  readonly deadline?: number;
}

/** Answers that don't fit which one question bears; whoever sends more is guessing. */
const MOST_STRANGERS = 16;
const SERVER_FAILED = 2;
const REFUSED = 5;

/** The network: a socket of its own for every question, so that port and id are both random (RFC 5452). */
export function upstream(options: UpstreamOptions = {}): Upstream {
  const { port = 53, udpTimeout = 1200, tcpTimeout = 2000, deadline = 4500 } = options;
  return {
    async ask(servers, asked) {
      const end = performance.now() + deadline;
      const left = (most: number): number => Math.min(most, end - performance.now());
      // A lost packet is asked again, once.
      for (const server of [...servers, ...servers]) {
        const question = { ...asked, id: randomInt(65_536) };
        if (left(udpTimeout) <= 0) return undefined;
        const short = await byUdp(server, port, question, left(udpTimeout));
        if (short === undefined) continue;
        const answer = short.truncated ? await byTcp(server, port, question, left(tcpTimeout)) : short;
        if (answer !== undefined && answer.rcode !== SERVER_FAILED && answer.rcode !== REFUSED) return answer;
      }
      return undefined;
    },
  };
}

/** Asks once by UDP. The socket is connected: the kernel drops what doesn't come from the server's own address and port. */
function byUdp(
  server: string,
  port: number,
  question: UpstreamQuestion,
  ms: number,
): Promise<UpstreamAnswer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(server.includes(':') ? 'udp6' : 'udp4');
    let strangers = 0;
    const done = (answer?: UpstreamAnswer): void => {
      clearTimeout(timer);
      socket.removeAllListeners().on('error', () => {});
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(done, ms);
    socket.on('error', () => done());
    socket.on('message', (packet) => {
      const answer = readAnswer(packet, question);
      strangers += 1;
      if (answer !== undefined || strangers > MOST_STRANGERS) done(answer);
    });
    socket.on('connect', () => socket.send(writeQuestion(question)));
    socket.connect(port, server);
  });
}

/** Asks once by TCP, a connection for one question. */
function byTcp(
  server: string,
  port: number,
  question: UpstreamQuestion,
  ms: number,
): Promise<UpstreamAnswer | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: server, port });
    let read = Buffer.alloc(0);
    const done = (answer?: UpstreamAnswer): void => {
      clearTimeout(timer);
      socket.removeAllListeners().on('error', () => {});
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(done, Math.max(ms, 0));
    socket.on('error', () => done());
    socket.on('close', () => done());
    socket.on('connect', () => {
      const packet = writeQuestion(question);
      socket.write(Buffer.concat([Buffer.from([packet.length >> 8, packet.length & 255]), packet]));
    });
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) {
        done(readAnswer(read.subarray(2, 2 + read.readUInt16BE(0)), question));
      }
    });
  });
}
