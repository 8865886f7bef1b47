import { expect, test } from 'vitest';

import { LineCutter } from './lines.ts';

function cutter(max?: number) {
  const heard: string[] = [];
  const lines = new LineCutter(
    {
      line: (bytes) => heard.push(`line ${bytes.toString()}`),
      tooLong: (bytes, first) => heard.push(`${first ? 'long' : 'more'} ${bytes.toString()}`),
    },
    max,
  );
  return { heard, push: (text: string) => lines.push(Buffer.from(text)), end: () => lines.end() };
}

test('lines come whole, however they are cut', () => {
  const { heard, push, end } = cutter();
  push('a\nb');
  push('');
  push('c\r');
  push('\n\nd');
  end();
  expect(heard).toEqual(['line a\n', 'line bc\r\n', 'line \n', 'line d']);
});

test('what is too long comes in parts, and the next line whole', () => {
  const { heard, push } = cutter(4);
  push('abc');
  push('def');
  push('gh\nok\n');
  push('toolong\nok\n');
  expect(heard).toEqual(['long abc', 'more def', 'more gh\n', 'line ok\n', 'long toolong\n', 'line ok\n']);
});
