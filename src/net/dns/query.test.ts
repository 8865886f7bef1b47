import { Buffer } from 'node:buffer';

import { assert, domain, nat, oneof, property, tuple, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readQuery } from './query.ts';
import { asks, reads } from './testing.ts';

/** A question of these labels, byte by byte. */
function question(labels: readonly Buffer[], tail = [0, 0, 1, 0, 1]): Buffer {
  const header = Buffer.from('000701000001000000000000', 'hex');
  return Buffer.concat([header, ...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from(tail)]);
}

function rcode(packet: Buffer): number | string {
  const read = readQuery(packet);
  return read.kind === 'reply' ? reads(read.packet).rcode : read.kind;
}

describe('readQuery', () => {
  test('reads a question; its name is lower case, its own capitals are kept', () => {
    const read = readQuery(asks('Api.EXAMPLE.com', 'AAAA', { edns: 1232 }));
    expect(read).toMatchObject({
      kind: 'query',
      query: { id: 7, name: 'api.example.com', type: 'AAAA', edns: 1232, question: { name: 'Api.EXAMPLE.com' } },
    });
  });

  test('takes the root, underscores and types that nobody knows', () => {
    expect(readQuery(asks('.', 'NS'))).toMatchObject({ query: { name: '', type: 'NS' } });
    expect(readQuery(asks('_sip._tcp.example.com', 'SRV'))).toMatchObject({ query: { name: '_sip._tcp.example.com' } });
    expect(readQuery(question([Buffer.from('a')], [0, 0, 65, 0, 1]))).toMatchObject({ query: { type: 'UNKNOWN_65' } });
  });

  test('bounds what EDNS says of sizes', () => {
    expect(readQuery(asks('a.b', 'A', { edns: 65_535 }))).toMatchObject({ query: { edns: 4096 } });
    expect(readQuery(asks('a.b', 'A', { edns: 1 }))).toMatchObject({ query: { edns: 512 } });
    expect(readQuery(asks('a.b'))).toMatchObject({ query: { edns: undefined } });
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'drop'],
    ['half a header', Buffer.alloc(11), 'drop'],
    ['a response', Buffer.from('000781000001000000000000', 'hex'), 'drop'],
    ['an update', Buffer.from('000729000001000000000000', 'hex'), 4],
    ['no question', Buffer.from('000701000000000000000000', 'hex'), 1],
    ['a header that claims 65535 questions', Buffer.from('00070100ffffffffffffffff', 'hex'), 1],
    ['a question that ends early', asks('example.com').subarray(0, 20), 1],
    ['a name that points to itself', question([], [0xc0, 12, 0, 1, 0, 1]), 1],
    ['a name that points into the header', question([], [0xc0, 0, 0, 1, 0, 1]), 1],
    ['a dot inside a label', question([Buffer.from('www.example'), Buffer.from('com')]), 1],
    ['a label that is no text', question([Buffer.from([0xff, 0xfe])]), 1],
    ['a label of the unused kinds', question([], [0x40, 0, 0, 1, 0, 1]), 1],
    ['a name of 256 bytes', question([63, 63, 63, 63].map((length) => Buffer.alloc(length, 'a'))), 1],
    ['another class', question([Buffer.from('version'), Buffer.from('bind')], [0, 0, 16, 0, 3]), 5],
  ])('%s', (_, packet, expected) => {
    expect(rcode(packet)).toBe(expected);
  });

  test('never throws, whatever the bytes, and answers with the id it was asked with', () => {
    const near = tuple(domain(), nat(80), nat(255)).map(([name, at, byte]) => {
      const packet = asks(name, 'A', { edns: 1232 });
      packet[at % packet.length] = byte;
      return packet;
    });
    assert(
      property(oneof(uint8Array({ maxLength: 600 }), near), (bytes) => {
        const read = readQuery(bytes);
        const id = read.kind === 'reply' ? read.packet.readUInt16BE(0) : read.kind === 'query' ? read.query.id : -1;
        expect(id === -1 || id === Buffer.from(bytes).readUInt16BE(0)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
