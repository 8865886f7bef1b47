import { assert, array, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { addressText, canonicalAddress, parseRange, rangeText } from './addresses.ts';
import { intervalElements } from './intervals.ts';

function elements(...texts: readonly string[]): readonly string[] {
  const marks = texts.flatMap((text, id) => {
    const range = parseRange(text);
    return range === undefined ? [] : [{ range, id }];
  });
  return [...intervalElements(marks, 4), ...intervalElements(marks, 6)].map(({ text, id }) => `${text}=${id}`);
}

describe('elements of an interval map', () => {
  test('are apart: a range inside another has its part', () => {
    expect(elements('10.0.0.0/8', '10.1.0.0/16', '10.1.2.3')).toEqual([
      '10.0.0.0-10.0.255.255=0',
      '10.1.0.0-10.1.2.2=1',
      '10.1.2.3=2',
      '10.1.2.4-10.1.255.255=1',
      '10.2.0.0-10.255.255.255=0',
    ]);
  });

  test('of equal ranges is the first', () => {
    expect(elements('10.0.0.0/8', '10.0.0.0/8')).toEqual(['10.0.0.0-10.255.255.255=0']);
  });

  test('reach both ends of each family', () => {
    expect(elements('0.0.0.0/0', '255.255.255.255', '::/0', '::')).toEqual([
      '0.0.0.0-255.255.255.254=0',
      '255.255.255.255=1',
      '::=3',
      '::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff=2',
    ]);
  });

  test('mean for each address what the narrowest range around it means', () => {
    const range = record({ base: integer({ min: 0, max: 255 }), prefix: constantFrom(24, 25, 26, 28, 31, 32) });
    assert(
      property(array(range, { maxLength: 12 }), (asked) => {
        const marks = asked.map(({ base, prefix }, id) => {
          const masked = (base >> (32 - prefix)) << (32 - prefix);
          return { range: { family: 4 as const, bytes: [10, 0, 0, masked], prefix }, id };
        });
        const found = intervalElements(marks, 4).map(({ text, id }) => {
          const [from = '', to = from] = text.split('-');
          return { from: Number(from.split('.')[3]), to: Number(to.split('.')[3]), id };
        });
        for (let last = 0; last < 256; last += 1) {
          const hits = found.filter(({ from, to }) => last >= from && last <= to);
          const covering = marks
            .filter(({ range: { bytes, prefix } }) => last >> (32 - prefix) === (bytes[3] ?? 0) >> (32 - prefix))
            .toSorted((left, right) => right.range.prefix - left.range.prefix || left.id - right.id);
          expect(hits.map(({ id }) => id)).toEqual(covering.slice(0, 1).map(({ id }) => id));
        }
      }),
    );
  });
});

test.each([
  ['1::', '1::'],
  ['0:0:1:0:0:0:1:0', '0:0:1::1:0'],
  ['2001:0db8::0001', '2001:db8::1'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::', '::'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
])('%s is written %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

test('a range is written with its prefix', () => {
  expect(rangeText({ family: 4, bytes: [10, 0, 0, 0], prefix: 8 })).toBe('10.0.0.0/8');
  expect(addressText(1n, 6)).toBe('::1');
});
