import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { array, assert, nat, oneof, property, tuple, uint8Array } from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';

import { hostServers, serversOf } from './host-servers.ts';
import { decode, encode, FLAG, type Answer } from './codec.ts';
import { a, asks } from './testing.ts';
import { readAnswer, writeQuestion } from './upstream-packet.ts';
import { upstream } from './upstream.ts';

const question = { name: 'api.example.com', type: 'A' } as const;
const answers: readonly Answer[] = [a('api.example.com', '198.51.100.7')];
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** Answers packets on loopback by UDP and TCP with what `reply` makes of them; returns the port. */
async function server(reply: (packet: Buffer, transport: 'udp' | 'tcp') => readonly Buffer[]): Promise<number> {
  const tcp = createServer((connection) => {
    connection.on('error', () => {});
    connection.on('data', (chunk) => {
      for (const packet of reply(chunk.subarray(2), 'tcp')) {
        const framed = Buffer.concat([Buffer.from([packet.length >> 8, packet.length & 255]), packet]);
        // In two parts: a stream has no packets.
        connection.write(framed.subarray(0, 5));
        setImmediate(() => connection.write(framed.subarray(5)));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const address = tcp.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const udp = createSocket('udp4').on('message', (packet, { port, address }) => {
    for (const sent of reply(packet, 'udp')) udp.send(sent, port, address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  open.push(
    () => udp.close(),
    () => tcp.close(),
  );
  return port;
}

function answer(packet: Buffer, flags = 0, given = answers): Buffer {
  const asked = decode(packet);
  return encode({ id: asked?.id, type: 'response', flags, questions: asked?.questions, answers: [...given] });
}

describe('upstream', () => {
  test('asks with an id and a port of its own each time, and with nothing else of the client', async () => {
    const ids = new Set<number>();
    const port = await server((packet) => {
      ids.add(packet.readUInt16BE(0));
      return [answer(packet)];
    });
    for (let round = 0; round < 20; round += 1) {
      expect(await upstream({ port }).ask(['127.0.0.1'], question)).toMatchObject({ rcode: 0, answers });
    }
    expect(ids.size).toBeGreaterThan(10);
  });

  test('takes no answer with another id, to another question or that is none', async () => {
    const port = await server((packet) => {
      const forged = answer(packet, 0, [a('api.example.com', '203.0.113.66')]);
      forged.writeUInt16BE((packet.readUInt16BE(0) + 1) & 0xffff, 0);
      const other = answer(asks('other.example', 'A', { id: packet.readUInt16BE(0) }));
      return [forged, other, packet, Buffer.from('x'), answer(packet)];
    });
    expect(await upstream({ port }).ask(['127.0.0.1'], question)).toMatchObject({ answers });
  });

  test('gives up on a server that guesses', async () => {
    const port = await server((packet) => [...Array.from({ length: 20 }, () => Buffer.from('guess')), answer(packet)]);
    expect(await upstream({ port, deadline: 2000 }).ask(['127.0.0.1'], question)).toBeUndefined();
  });

  test('asks again by TCP what came truncated', async () => {
    const seen: string[] = [];
    const port = await server((packet, transport) => {
      seen.push(transport);
      return [transport === 'udp' ? answer(packet, FLAG.truncated, []) : answer(packet)];
    });
    expect(await upstream({ port }).ask(['127.0.0.1'], question)).toMatchObject({ answers });
    expect(seen).toEqual(['udp', 'tcp']);
  });

  test('asks the next server when one is silent, not there or fails; then the first again', async () => {
    let round = 0;
    const port = await server((packet) => {
      round += 1;
      return round === 1 ? [] : [answer(packet, round === 2 ? 2 : 0)];
    });
    // Nobody listens on 127.0.0.2: refused at once.
    expect(await upstream({ port, udpTimeout: 50 }).ask(['127.0.0.1', '127.0.0.2'], question)).toBeUndefined();
    expect(await upstream({ port }).ask(['127.0.0.2', '127.0.0.1'], question)).toMatchObject({ answers });
    expect(round).toBe(3);
  });

  test('ends in time', async () => {
    const port = await server(() => []);
    const from = performance.now();
    expect(await upstream({ port, deadline: 100 }).ask(['127.0.0.1'], question)).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(3000);
  });
});

test('readAnswer never throws, whatever the bytes', () => {
  const asked = { ...question, id: 9 };
  const good = answer(writeQuestion(asked));
  const near = array(tuple(nat(good.length - 1), nat(255)), { maxLength: 4 }).map((changes) => {
    const packet = Buffer.from(good);
    for (const [at, byte] of changes) packet[at] = byte;
    return packet;
  });
  const noise = uint8Array({ maxLength: 300 }).map((bytes) => Buffer.concat([good.subarray(0, 33), bytes]));
  assert(
    property(oneof(near, noise), (packet) => {
      expect(readAnswer(packet, asked)?.answers ?? []).toBeInstanceOf(Array);
    }),
    { numRuns: 3000 },
  );
});

test('serversOf reads resolv.conf, and says the machine itself when that names none', () => {
  expect(
    serversOf('# x\nnameserver 192.0.2.1\n\tnameserver 1.1.1.1\nnameserver\t2001:db8::1 \nnameserver no\n'),
  ).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(serversOf('search example.com\n')).toEqual(['127.0.0.1']);
  expect(hostServers('/nonexistent')).toEqual(['127.0.0.1']);
});
