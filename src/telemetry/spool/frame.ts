import { crc32 } from 'node:zlib';

import type { EventClass } from '../../core/events.ts';

/**
 * A segment file is a header and frames. Header: magic, version, class, the emitter's boot id, CRC-32 of those.
 * Frame: payload length, CRC-32 of (seq, payload), seq, payload. Little-endian; a file only ever grows.
 */
export const HEADER_BYTES = 32;
const FRAME_BYTES = 16;

/** No frame is longer: what says so is damage, not data. */
const MAX_PAYLOAD = 4 * 1024 * 1024;

const MAGIC = 'UCPSPOOL';
const VERSION = 1;

/** Whose events a segment holds. */
export interface SegmentHeader {
  readonly class: EventClass;
  /** UUID. */
  readonly boot: string;
}

/** One event on its way to or from a segment. */
export interface SpoolRecord {
  readonly seq: number;
  /** JSON of a StoredEvent. */
  readonly line: string;
  /** Length of `line` in UTF-8. */
  readonly bytes: number;
}

/** What stands at a place of a segment. */
export type Frame =
  | { readonly kind: 'record'; readonly end: number; readonly seq: number; readonly payload: Buffer }
  /** The length fits, the checksum doesn't. */
  | { readonly kind: 'corrupt'; readonly end: number }
  /** No whole frame follows: the end, a torn write, or bytes not read yet. */
  | { readonly kind: 'short' };

export function encodeHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt8(VERSION, 8);
  bytes.writeUInt8(header.class === 'critical' ? 1 : 0, 9);
  bytes.write(header.boot.replaceAll('-', ''), 12, 'hex');
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4);
  return bytes;
}

/** The header at the start of `bytes`; undefined where there is none that is whole. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC || bytes[8] !== VERSION) return undefined;
  if (bytes.readUInt32LE(HEADER_BYTES - 4) !== crc32(bytes.subarray(0, HEADER_BYTES - 4))) return undefined;
  const hex = bytes.toString('hex', 12, 28);
  const boot = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { class: bytes[9] === 1 ? 'critical' : 'normal', boot };
}

/** Bytes that `records` take in a segment. */
export function framedBytes(records: readonly SpoolRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + FRAME_BYTES + bytes, 0);
}

/** All of `records`, ready for one write. */
export function encodeFrames(records: readonly SpoolRecord[]): Buffer {
  const out = Buffer.allocUnsafe(framedBytes(records));
  let at = 0;
  for (const { seq, line, bytes } of records) {
    out.writeUInt32LE(bytes, at);
    out.writeUInt32LE(seq % 2 ** 32, at + 8);
    out.writeUInt32LE(Math.floor(seq / 2 ** 32), at + 12);
    out.write(line, at + FRAME_BYTES, 'utf8');
    const end = at + FRAME_BYTES + bytes;
    out.writeUInt32LE(crc32(out.subarray(at + 8, end)), at + 4);
    at = end;
  }
  return out;
}

/** The frame at `at`; its payload is a view of `bytes`. */
export function frameAt(bytes: Buffer, at: number): Frame {
  if (at + FRAME_BYTES > bytes.length) return { kind: 'short' };
  const length = bytes.readUInt32LE(at);
  const end = at + FRAME_BYTES + length;
  if (length > MAX_PAYLOAD || end > bytes.length) return { kind: 'short' };
  if (crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) return { kind: 'corrupt', end };
  const seq = bytes.readUInt32LE(at + 8) + bytes.readUInt32LE(at + 12) * 2 ** 32;
  return { kind: 'record', end, seq, payload: bytes.subarray(at + FRAME_BYTES, end) };
}
