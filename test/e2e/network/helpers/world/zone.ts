import { Buffer } from 'node:buffer';

import type { Answer } from '../../../../../src/net/dns/codec.ts';
import { type DnsQuery, readQuery } from '../../../../../src/net/dns/query.ts';
import { writeReply } from '../../../../../src/net/dns/reply.ts';
import type { Asked, ZoneRecord } from './protocol.ts';

const MOST_ALIASES = 20;

/** The records that the DNS server has, and what it was asked. */
export class Zone {
  records: readonly ZoneRecord[];
  /** No answer is sent while this is set. */
  silent = false;
  readonly asked: Asked[] = [];

  constructor(records: readonly ZoneRecord[]) {
    this.records = records;
  }

  /** The answer to a packet, aliases followed as a resolver does; undefined: none is sent. */
  answer(packet: Uint8Array, transport: Asked['transport'], server: string): Buffer | undefined {
    const read = readQuery(packet);
    if (read.kind !== 'query') return read.kind === 'reply' ? read.packet : undefined;
    const { query } = read;
    this.asked.push({ name: query.name, type: query.type, transport, server });
    if (this.silent) return undefined;
    const answers = this.#lookUp(query);
    const known = answers.length > 0 || this.#of(query.name).length > 0;
    return writeReply(query, { rcode: known ? 0 : 3, answers }, transport === 'udp' ? 'udp' : 'tcp');
  }

  #lookUp({ name, type }: DnsQuery): readonly Answer[] {
    const found: Answer[] = [];
    let at = name;
    for (let hop = 0; hop < MOST_ALIASES; hop += 1) {
      const own = this.#of(at);
      const alias = own.find((record) => record.type === 'CNAME');
      found.push(...own.filter((record) => record.type === type || record === alias).map((one) => recordOf(at, one)));
      if (alias === undefined || type === 'CNAME') break;
      at = alias.data;
    }
    return found;
  }

  /** Records of a name, or of the nearest wildcard above it. */
  #of(name: string): readonly ZoneRecord[] {
    const candidates = [name, ...name.split('.').map((_, index, labels) => `*.${labels.slice(index + 1).join('.')}`)];
    const owner = candidates.find((candidate) => this.records.some((record) => record.name === candidate));
    return this.records.filter((record) => record.name === owner);
  }
}

function recordOf(name: string, { type, data, ttl }: ZoneRecord): Answer {
  if (type === 'TXT') return { name, type, ttl, class: 'IN', data: [Buffer.from(data)] };
  return { name, type, ttl, class: 'IN', data };
}
