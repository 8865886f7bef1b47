import { expect, test } from 'vitest';

import { lineSplitter } from './line-splitter.ts';

test('cuts lines wherever the chunks are cut, also inside a character', () => {
  const lines: string[] = [];
  const take = lineSplitter(100, (line) => lines.push(line));
  for (const byte of Buffer.from('eins\nzwölf\n\nrest')) take(Buffer.from([byte]));
  expect(lines).toEqual(['eins', 'zwölf', '']);
});

test('refuses a line beyond the bound without keeping it', () => {
  const take = lineSplitter(4, () => undefined);
  take(Buffer.from('1234\n12'));
  expect(() => take(Buffer.from('345'))).toThrow(expect.objectContaining({ code: 'CONTROLPLANE_PROTOCOL' }));
});

test('skips a line that is too long, once, where the caller only counts it', () => {
  const lines: string[] = [];
  let tooLong = 0;
  const take = lineSplitter(
    4,
    (line) => lines.push(line),
    () => (tooLong += 1),
  );
  for (const chunk of ['12', '345', '678', '9\nab\n', '12345\ncd\n']) take(Buffer.from(chunk));
  expect([lines, tooLong]).toEqual([['ab', 'cd'], 2]);
});
