import { Buffer } from 'node:buffer';

import {
  type Answer,
  decode as decodePacket,
  type DecodedPacket,
  encode as encodePacket,
  type OptAnswer,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';

/** Response codes of RFC 1035 §4.1.1. */
export const RCODE = { ok: 0, malformed: 1, failed: 2, noName: 3, notImplemented: 4, refused: 5 } as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];

/** Extended DNS errors that we say (RFC 8914 §4); `dig` and systemd-resolved show them. */
export const EXTENDED = { blocked: 15, prohibited: 18, unreachable: 22 } as const;

export const FLAG = { available: RECURSION_AVAILABLE, desired: RECURSION_DESIRED, truncated: TRUNCATED_RESPONSE };
export const HEADER_BYTES = 12;
const EXTENDED_ERROR_OPTION = 15;

export type { Answer, DecodedPacket, Question };

/** The header's words that decide whether the rest is worth reading; undefined when there is no whole header. */
export interface Header {
  readonly id: number;
  readonly flags: number;
  readonly response: boolean;
  readonly opcode: number;
  readonly rcode: number;
  /** Number of records: questions, answers, authorities, additionals. */
  readonly counts: readonly [number, number, number, number];
}

/** Reads a header alone: nothing is allocated for the numbers that it claims. */
export function readHeader(packet: Buffer): Header | undefined {
  if (packet.length < HEADER_BYTES) return undefined;
  const word = (at: number): number => packet.readUInt16BE(at);
  const flags = word(2);
  return {
    id: word(0),
    flags,
    response: flags >= 0x8000,
    opcode: (flags >> 11) & 15,
    rcode: flags & 15,
    counts: [word(4), word(6), word(8), word(10)],
  };
}

/** The packet's contents, or undefined when it isn't one: the library throws on what can't be read. */
export function decode(packet: Buffer): DecodedPacket | undefined {
  try {
    return decodePacket(packet);
  } catch {
    return undefined;
  }
}

/** The bytes of a packet. */
export function encode(packet: Packet): Buffer {
  return encodePacket(packet);
}

/** An OPT record (RFC 6891) that announces `size`, with an extended error when one is given. */
export function edns(size: number, error?: { readonly code: number; readonly text: string }): OptAnswer {
  const base = { type: 'OPT', name: '.', udpPayloadSize: size, extendedRcode: 0, ednsVersion: 0, flags: 0 } as const;
  if (error === undefined) return { ...base, flag_do: false, options: [] };
  const data = Buffer.concat([Buffer.from([error.code >> 8, error.code & 255]), Buffer.from(error.text)]);
  // The library's types know fewer options than it can write.
  // eslint-disable-next-line typescript/no-unsafe-type-assertion
  const options = [{ code: EXTENDED_ERROR_OPTION, data }] as unknown as OptAnswer['options'];
  return { ...base, flag_do: false, options };
}
