import { decodeHeader, frameAt, HEADER_BYTES, type SegmentHeader } from './frame.ts';

/** What can be read of a segment file as it was found. */
export interface Scan {
  readonly header: SegmentHeader;
  /** Frames, those with a wrong checksum included. */
  readonly records: number;
  readonly first: number;
  readonly last: number;
  /** Where the readable part ends; what follows is a torn write. */
  readonly size: number;
  readonly torn: number;
}

/**
 * Reads a whole segment. A frame with a wrong checksum is passed over only where a whole frame follows it; otherwise
 * it is where a write was torn. Undefined where not even the header is whole.
 */
export function scan(bytes: Buffer): Scan | undefined {
  const header = decodeHeader(bytes);
  if (header === undefined) return undefined;
  let [at, records, first, last] = [HEADER_BYTES, 0, 0, 0];
  for (;;) {
    const frame = frameAt(bytes, at);
    if (frame.kind === 'short') break;
    if (frame.kind === 'corrupt' && frameAt(bytes, frame.end).kind !== 'record') break;
    if (frame.kind === 'record') {
      if (first === 0) first = frame.seq - records;
      last = frame.seq;
    }
    records++;
    at = frame.end;
  }
  return { header, records, first, last, size: at, torn: bytes.length - at };
}
