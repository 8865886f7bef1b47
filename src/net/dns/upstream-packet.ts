import { Buffer } from 'node:buffer';

import {
  type Answer,
  decode,
  edns,
  encode,
  FLAG,
  type Header,
  HEADER_BYTES,
  type Question,
  readHeader,
} from './codec.ts';

/** The size that crosses every path unfragmented (DNS flag day 2020). */
const UPSTREAM_SIZE = 1232;
/** The smallest record: the root as name, type, class, TTL, length. */
const LEAST_RECORD = 11;

/** A question to a resolver. */
export interface UpstreamQuestion {
  readonly id: number;
  /** Lower case, no dot at its end. */
  readonly name: string;
  /** The library also reads and takes `UNKNOWN_<number>`, which its types don't say. */
  readonly type: Question['type'];
}

/** What a resolver answered; nothing but the section `answers` is read. */
export interface UpstreamAnswer {
  readonly rcode: number;
  readonly truncated: boolean;
  readonly answers: readonly Answer[];
}

/** The packet that asks `question`, with nothing of the client's own: its options, flags and capitals stay here. */
export function writeQuestion({ id, name, type }: UpstreamQuestion): Buffer {
  const asked = { name: name === '' ? '.' : name, type };
  return encode({ type: 'query', id, flags: FLAG.desired, questions: [asked], additionals: [edns(UPSTREAM_SIZE)] });
}

/** Reads the answer to `question`; undefined when it is none, of another question, or can't be read. Never throws. */
export function readAnswer(packet: Buffer, question: UpstreamQuestion): UpstreamAnswer | undefined {
  const header = readHeader(packet);
  if (header === undefined || !answers(header, question, packet.length)) return undefined;
  const needed = Buffer.from(packet);
  // Authorities and additionals are not read, so nothing in them can do harm; of a truncated answer nothing counts.
  const truncated = (header.flags & FLAG.truncated) !== 0;
  if (truncated) needed.writeUInt16BE(0, 6);
  needed.writeUInt32BE(0, 8);
  const decoded = decode(needed);
  const [asked] = decoded?.questions ?? [];
  if (decoded === undefined || asked === undefined) return undefined;
  if (nameOf(asked.name) !== question.name || asked.type !== question.type) return undefined;
  return { rcode: header.rcode, truncated, answers: decoded.answers ?? [] };
}

function answers(header: Header, { id }: UpstreamQuestion, length: number): boolean {
  const [questions, answers] = header.counts;
  const fits = HEADER_BYTES + answers * LEAST_RECORD <= length;
  return header.response && header.id === id && header.opcode === 0 && questions === 1 && fits;
}

/** A name as names are compared: lower case, no dot at its end. */
export function nameOf(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}
