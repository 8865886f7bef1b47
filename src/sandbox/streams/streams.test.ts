import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { endMarker } from '../../core/init-protocol.ts';
import { FrameReader } from './frames.ts';
import { MarkerFilter } from './marker-filter.ts';

const marker = endMarker('0123456789abcdef0123456789abcdef');

/** Feeds chunks and collects what passes. */
function filter(): { push(bytes: Buffer): void; end(): void; passed(): Buffer; seen(): number } {
  const out: Buffer[] = [];
  let seen = 0;
  const subject = new MarkerFilter(
    marker,
    (bytes) => out.push(bytes),
    () => (seen += 1),
  );
  return {
    push: (bytes) => subject.push(bytes),
    end: () => subject.end(),
    passed: () => Buffer.concat(out),
    seen: () => seen,
  };
}

/** `bytes` cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

/** One frame as the engine sends it: 1 is stdout, 2 stderr. */
function encode([type, bytes]: [number, Uint8Array]): Buffer {
  const header = Buffer.from([type, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

describe('the end marker', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Output full of beginnings of the marker, NULs and near misses. */
  const noise = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
        fc.nat(marker.length - 1).map((length) => marker.subarray(0, length)),
        fc.constant(Buffer.from([0, 0])),
        fc.constant(endMarker('ffffffffffffffffffffffffffffffff')),
      ),
    )
    .map((parts) => Buffer.concat(parts))
    .filter((bytes) => !bytes.includes(marker));

  test('is taken out wherever chunks are cut, and nothing else is', () => {
    fc.assert(
      fc.property(noise, noise, fc.array(fc.nat()), (before, after, places) => {
        const joined = Buffer.concat([before, marker, after]);
        fc.pre(joined.indexOf(marker) === before.length);
        const subject = filter();
        for (const chunk of cut(joined, places)) subject.push(chunk);
        subject.end();
        expect(subject.passed()).toEqual(Buffer.concat([before, after]));
        expect(subject.seen()).toBe(1);
      }),
    );
  });

  test('is not seen where it is not, and every byte passes', () => {
    fc.assert(
      fc.property(noise, fc.array(fc.nat()), (bytes, places) => {
        const subject = filter();
        for (const chunk of cut(bytes, places)) subject.push(chunk);
        subject.end();
        expect(subject.passed()).toEqual(bytes);
        expect(subject.seen()).toBe(0);
      }),
    );
  });

  test('does not keep a trailing NUL from a reader that waits for it', () => {
    const subject = filter();
    subject.push(Buffer.from('record\0'));
    expect(subject.passed().toString()).toBe('record');
    vi.advanceTimersByTime(100);
    expect(subject.passed().toString()).toBe('record\0');
    subject.push(Buffer.from('next'));
    expect(subject.passed().toString()).toBe('record\0next');
  });

  test('is recognised even when its first half was given up waiting for', () => {
    const subject = filter();
    subject.push(marker.subarray(0, 10));
    vi.advanceTimersByTime(100);
    subject.push(marker.subarray(10));
    expect(subject.seen()).toBe(1);
    expect(subject.passed()).toEqual(marker.subarray(0, 10));
  });
});

describe("the engine's frames", () => {
  test('are cut out of chunks of any size, in order', () => {
    const frame = fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.nat()), (frames, places) => {
        const got: Record<string, Buffer[]> = { stdout: [], stderr: [] };
        const reader = new FrameReader((stream, bytes) => got[stream]?.push(Buffer.from(bytes)));
        for (const chunk of cut(Buffer.concat(frames.map(encode)), places)) reader.push(chunk);
        const expected = (wanted: number): Buffer =>
          Buffer.concat(frames.filter(([type]) => type === wanted).map(([, bytes]) => bytes));
        expect(Buffer.concat(got['stdout'] ?? [])).toEqual(expected(1));
        expect(Buffer.concat(got['stderr'] ?? [])).toEqual(expected(2));
      }),
    );
  });
});
