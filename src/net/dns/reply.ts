import type { Buffer } from 'node:buffer';

import { type Answer, edns, encode, FLAG, type Rcode } from './codec.ts';
import { type DnsQuery, udpSize } from './query.ts';
import { nameOf } from './upstream-packet.ts';

/** How a query came, and so how large its answer may be. */
export type Transport = 'udp' | 'tcp';

/** What a sandbox is answered. */
export interface Reply {
  readonly rcode: Rcode;
  readonly answers?: readonly Answer[];
  /** Why, for those who read extended errors (RFC 8914). */
  readonly why?: { readonly code: number; readonly text: string };
}

/** Bytes that we can take ourselves, said in every answer to a client that speaks EDNS. */
const OUR_SIZE = 4096;
const MOST_TCP = 65_535;

/**
 * The packet that answers `query`. It has the question as it came and nothing but the answers given here: no authority,
 * no additional records. What is too large for UDP comes empty and truncated, so that the client asks again by TCP.
 */
export function writeReply(query: DnsQuery, reply: Reply, transport: Transport): Buffer {
  const whole = packet(query, reply, reply.answers ?? [], 0);
  if (whole.length <= (transport === 'udp' ? udpSize(query) : MOST_TCP)) return whole;
  return packet(query, reply, [], FLAG.truncated);
}

function packet(query: DnsQuery, { rcode, why }: Reply, answers: readonly Answer[], extra: number): Buffer {
  const desired = query.recursionDesired ? FLAG.desired : 0;
  return encode({
    type: 'response',
    id: query.id,
    flags: FLAG.available | desired | extra | rcode,
    questions: [query.question],
    // With the question's own capitals, as name compression would have it.
    answers: answers.map((one) => (nameOf(one.name) === query.name ? { ...one, name: query.question.name } : one)),
    additionals: query.edns === undefined ? [] : [edns(OUR_SIZE, why)],
  });
}
