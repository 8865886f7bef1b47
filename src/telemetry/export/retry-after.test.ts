import { describe, expect, test } from 'vitest';

import { backoff } from './backoff.ts';
import { retryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    ['0', 0],
    ['99999999', 900_000],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 120_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Mon, 21 Nov 2044 11:00:00 GMT', 900_000],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026-11-21T12:02:00Z', undefined],
    ['Sat, 99 Nov 2026 12:02:00 GMT', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s means %s ms', (header, ms) => {
    expect(retryAfter(header, NOW)).toBe(ms);
  });
});

describe('the pause between attempts', () => {
  test('lies between a second and a ceiling that doubles up to a minute', () => {
    expect([1, 2, 3, 5, 6, 7, 1000].map((failures) => backoff(failures, undefined, () => 1))).toEqual([
      2000, 4000, 8000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect([1, 7].map((failures) => backoff(failures, undefined, () => 0))).toEqual([1000, 1000]);
  });

  test('is never shorter than the receiver asked for, and still spread', () => {
    expect(backoff(1, 120_000, () => 0)).toBe(120_000);
    expect(backoff(1, 120_000, () => 1)).toBe(121_000);
    expect(backoff(7, 0, () => 1)).toBe(60_000);
  });
});
