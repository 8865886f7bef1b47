import { describe, expect, test } from 'vitest';

import { encodeFrames, encodeHeader, frameAt, HEADER_BYTES } from './frame.ts';
import { scan } from './scan.ts';

const HEADER = { class: 'critical', boot: '0d7c6a3e-7c1b-4f3e-9c57-3b1c0a4f2e11' } as const;
const LINES = ['{"a":1}', '{"ü":"…"}', '{}', '{"last":true}'];

const records = LINES.map((line, k) => ({ seq: 2 ** 33 + k, line, bytes: Buffer.byteLength(line) }));
const whole = Buffer.concat([encodeHeader(HEADER), encodeFrames(records)]);
/** Where each frame ends. */
const ends = records.map((_, k) => HEADER_BYTES + encodeFrames(records.slice(0, k + 1)).length);

/** Payloads of the good frames among the first `count`. */
function payloads(bytes: Buffer, count: number): string[] {
  const found: string[] = [];
  for (let k = 0, at = HEADER_BYTES; k < count; k++) {
    const frame = frameAt(bytes, at);
    if (frame.kind === 'short') break;
    if (frame.kind === 'record') found.push(frame.payload.toString());
    at = frame.end;
  }
  return found;
}

describe('a segment file', () => {
  test('gives back what was written', () => {
    expect(scan(whole)).toEqual({
      header: HEADER,
      records: 4,
      first: 2 ** 33,
      last: 2 ** 33 + 3,
      size: whole.length,
      torn: 0,
    });
    const frame = frameAt(whole, ends[0] ?? 0);
    expect(frame.kind === 'record' && frame.payload.toString()).toBe(LINES[1]);
  });

  test('cut at any byte holds the records that were whole, and no other', () => {
    for (let cut = 0; cut < whole.length; cut++) {
      const found = scan(whole.subarray(0, cut));
      const complete = ends.filter((end) => end <= cut).length;
      expect(found?.records ?? 0).toBe(complete);
      expect(found === undefined).toBe(cut < HEADER_BYTES);
      expect((found?.size ?? 0) + (found?.torn ?? cut)).toBe(cut);
    }
  });

  test('with any bit of its frames wrong loses nothing that came before, and claims nothing that is wrong', () => {
    for (let at = HEADER_BYTES; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
      const found = scan(damaged);
      const before = ends.filter((end) => end <= at).length;
      expect(found?.records).toBeGreaterThanOrEqual(before);
      expect(payloads(damaged, found?.records ?? 0).length).toBeLessThanOrEqual(3);
      expect(LINES).toEqual(expect.arrayContaining(payloads(damaged, found?.records ?? 0)));
    }
  });

  test('passes over one damaged record between whole ones', () => {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(0, (ends[1] ?? 0) - 1);
    expect(scan(damaged)).toMatchObject({ records: 4, first: 2 ** 33, last: 2 ** 33 + 3, torn: 0 });
  });

  test.each([0, 8, 12, 28])('with byte %d of its header wrong is not read at all', (at) => {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    expect(scan(damaged)).toBeUndefined();
  });
});
