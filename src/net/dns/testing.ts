import { Buffer } from 'node:buffer';

import type { NameRules } from '../dns-port.ts';
import { type Answer, decode, type DecodedPacket, encode, FLAG, type Question } from './codec.ts';
import type { Upstream } from './upstream.ts';

/** The packet with which a client asks; the id is 7. */
export function asks(name: string, type: Question['type'] = 'A', more: { edns?: number; id?: number } = {}): Buffer {
  const opt = { type: 'OPT', name: '.', extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false } as const;
  return encode({
    type: 'query',
    id: more.id ?? 7,
    flags: FLAG.desired,
    questions: [{ name, type }],
    additionals: more.edns === undefined ? [] : [{ ...opt, udpPayloadSize: more.edns, options: [] }],
  });
}

/** What stands in an answer; fails when it is none. */
export function reads(packet: Uint8Array | undefined): DecodedPacket & { readonly rcode: number } {
  const bytes = Buffer.from(packet ?? []);
  const decoded = decode(bytes);
  if (decoded === undefined) throw new Error(`not a DNS packet: ${bytes.toString('hex')}`);
  return { ...decoded, rcode: bytes.readUInt16BE(2) & 15 };
}

function record(type: 'A' | 'AAAA' | 'CNAME') {
  return (name: string, data: string, ttl = 300): Answer => ({ type, name, ttl, class: 'IN', data });
}
/** Records by name, data and TTL. */
export const a = record('A');
export const aaaa = record('AAAA');
export const alias = record('CNAME');

/** Rules by name (`*.` for everything below); 10/8 is closed. */
export function rulesOf(named: Readonly<Record<string, readonly number[]>>, more: Partial<NameRules> = {}): NameRules {
  return {
    mode: 'enforce',
    anyName: false,
    rulesFor: (name) => named[name] ?? named[`*.${name.split('.').slice(1).join('.')}`] ?? [],
    closed: (address) => (address.startsWith('10.') ? 'private' : undefined),
    ...more,
  };
}

/** A resolver that answers out of `zone` (NXDOMAIN for the rest) and keeps what it was asked. */
export function zone(records: readonly Answer[]): Upstream & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    ask: async (_servers, { name, type }) => {
      asked.push(`${name} ${type}`);
      const known = records.some((record) => record.name === name);
      return { rcode: known ? 0 : 3, truncated: false, answers: records };
    },
  };
}
