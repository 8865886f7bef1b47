import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { RedactedStream } from './redacted-stream.ts';
import { Redactor } from './redactor.ts';

const VALUES = ['kept-8121', 'kept-8121-longer', 'a "quoted"\nvalue/+'].map((value) => Buffer.from(value));

function redacted(chunks: readonly Buffer[]): string {
  const redactor = new Redactor(VALUES);
  return Buffer.concat([...chunks.map((chunk) => redactor.push(chunk)), redactor.release()]).toString();
}

describe('Redactor', () => {
  test('takes values out in every form, the longer one first', () => {
    const forms = [
      'kept-8121-longer',
      'a "quoted"\nvalue/+',
      'a \\"quoted\\"\\nvalue/+',
      Buffer.from('kept-8121').toString('base64'),
      encodeURIComponent('a "quoted"\nvalue/+'),
    ];
    for (const form of forms) expect(redacted([Buffer.from(`<${form}>`)])).toBe('<[secret]>');
  });

  test('takes them out however the bytes are cut, and leaves all else as it is', () => {
    const piece = constantFrom('kept-8121', 'kept-81', 'k', 'ep', 'äöü', '\n', 'a "quoted"\nvalue/+', 'other');
    assert(
      property(array(piece), array(nat(40)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''));
        const chunks: Buffer[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        chunks.push(bytes.subarray(from));
        expect(redacted(chunks)).toBe(redacted([bytes]));
        expect(redacted(chunks)).not.toContain('kept-8121');
        const plain = bytes.toString().replaceAll(/kept-8121|a "quoted"\nvalue\/\+/g, '[secret]');
        expect(redacted(chunks)).toBe(plain);
      }),
    );
  });
});

test('a stream waits for its target, and gives back what was held at the end', async () => {
  const target = new PassThrough({ highWaterMark: 16 });
  const stream = new RedactedStream(target, new Map([['s', Buffer.from('kept-8121')]]));
  expect(stream.write('x'.repeat(100_000))).toBe(false);
  stream.write('and kept-8121 and kept-8');
  const all = text(target);
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
  await stream.finish();
  target.end();
  expect(await all).toBe(`${'x'.repeat(100_000)}and [secret] and kept-8`);
});
