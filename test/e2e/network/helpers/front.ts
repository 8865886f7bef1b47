import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

import type { NameAnswer, NameQuery, NameResolver } from '../../../../src/net/dns-port.ts';

/** A resolver of the product on port 53 of an address of the host, so that real clients ask it and nothing else. */
export async function front(
  resolver: NameResolver,
  address: string,
  query: Omit<NameQuery, 'packet' | 'transport'>,
): Promise<AsyncDisposable & { readonly answers: readonly NameAnswer[] }> {
  const answers: NameAnswer[] = [];
  const answer = async (packet: Uint8Array, transport: 'udp' | 'tcp'): Promise<Uint8Array | undefined> => {
    const given = await resolver.answer({ ...query, packet, transport });
    answers.push(given);
    return given.packet;
  };
  const udp = createSocket('udp4').on('message', (packet, from) => {
    void answer(packet, 'udp').then((sent) => sent && udp.send(sent, from.port, from.address));
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      void answer(chunk.subarray(2), 'tcp').then((sent) => {
        if (sent === undefined) return socket.destroy();
        return socket.write(Buffer.concat([Buffer.from([sent.length >> 8, sent.length & 255]), sent]));
      });
    });
  });
  udp.bind(53, address);
  tcp.listen(53, address);
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  return {
    answers,
    [Symbol.asyncDispose]: async () => {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}
