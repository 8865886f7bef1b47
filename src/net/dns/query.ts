import { Buffer } from 'node:buffer';

import {
  decode,
  type DecodedPacket,
  encode,
  type Header,
  HEADER_BYTES,
  type Question,
  RCODE,
  readHeader,
} from './codec.ts';

/** What a DNS answer over UDP may have without EDNS (RFC 1035 §4.2.1), and the most that we send with it. */
const PLAIN_SIZE = 512;
const MOST_SIZE = 4096;
/** More than any client's records beside the question (OPT, TSIG, SIG). */
const MOST_ADDITIONALS = 4;

/** A question that a program in a sandbox asks. */
export interface DnsQuery {
  readonly id: number;
  /** In lower case, without a dot at its end; '' is the root. */
  readonly name: string;
  /** `A`, `AAAA`, … and, which the library's types don't say, `UNKNOWN_65`. */
  readonly type: Question['type'];
  /** As it came, to be given back with its own capitals (RFC 5452 and 0x20). */
  readonly question: Question;
  readonly recursionDesired: boolean;
  /** Bytes that the client takes in one UDP answer; undefined: it speaks no EDNS. */
  readonly edns: number | undefined;
}

/** A query; or what to answer to that which is none; or nothing at all. */
export type ReadQuery =
  | { readonly kind: 'query'; readonly query: DnsQuery }
  | { readonly kind: 'reply'; readonly packet: Buffer }
  | { readonly kind: 'drop' };

const DROP: ReadQuery = { kind: 'drop' };

/**
 * Reads what a client sent. Without a header it is dropped, as are responses (two servers must never answer each
 * other); another operation is NOTIMP, another class REFUSED, all else that isn't one question FORMERR. Never throws.
 */
export function readQuery(bytes: Uint8Array): ReadQuery {
  const packet = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(packet);
  if (header === undefined || header.response) return DROP;
  if (header.opcode !== 0) return bare(header, RCODE.notImplemented);
  const decoded = plausible(header) ? decode(packet) : undefined;
  const [question] = decoded?.questions ?? [];
  if (decoded === undefined || question === undefined || !sameBytes(packet, question)) {
    return bare(header, RCODE.malformed);
  }
  if (question.class !== 'IN') return bare(header, RCODE.refused);
  const query = {
    id: header.id,
    name: question.name === '.' ? '' : question.name.toLowerCase(),
    type: question.type,
    question,
    recursionDesired: decoded.flag_rd,
    edns: sizeOf(decoded),
  };
  return { kind: 'query', query };
}

/** The numbers of records of a query; what claims more is not worth reading. */
function plausible({ counts: [questions, answers, authorities, additionals] }: Header): boolean {
  return questions === 1 && answers + authorities === 0 && additionals <= MOST_ADDITIONALS;
}

function sizeOf({ additionals = [] }: DecodedPacket): number | undefined {
  const opt = additionals.find((record) => record.type === 'OPT');
  return opt?.type === 'OPT' ? Math.min(Math.max(opt.udpPayloadSize, PLAIN_SIZE), MOST_SIZE) : undefined;
}

/** Bytes that one UDP answer to `query` may have. */
export function udpSize(query: DnsQuery): number {
  return query.edns ?? PLAIN_SIZE;
}

/**
 * True when the question stands in the packet as its text reads: no pointer, no dot inside a label, no byte that isn't
 * valid text. Otherwise the name that is judged would not be the name that was asked.
 */
function sameBytes(packet: Buffer, question: Question): boolean {
  const written = encode({ questions: [question] }).subarray(HEADER_BYTES);
  return packet.subarray(HEADER_BYTES, HEADER_BYTES + written.length).equals(written);
}

/** An answer of a header alone. */
function bare(header: Header, rcode: number): ReadQuery {
  const packet = Buffer.alloc(HEADER_BYTES);
  packet.writeUInt16BE(header.id, 0);
  packet.writeUInt16BE(0x8000 | (header.flags & 0x7900) | rcode, 2);
  return { kind: 'reply', packet };
}
