import { expect, test } from 'vitest';

import { redactArguments, redactDeep, redactSecrets } from './redact.ts';

test.each([
  ['--token=abc123', '--token=[redacted]'],
  ['tool --api-key abc123 --verbose', 'tool --api-key [redacted] --verbose'],
  ['sh -c \'x --db-password "p w"\'', 'sh -c \'x --db-password "[redacted] w"\''],
  ['curl -H "Authorization: Bearer abc.def"', 'curl -H "Authorization: Bearer [redacted]"'],
  ['authorization: Basic bWU6cHc=', 'authorization: Basic [redacted]'],
  ['curl -u me:pw https://x', 'curl -u me:[redacted] https://x'],
  ['AWS_SECRET_ACCESS_KEY=abc GITHUB_TOKEN=def', 'AWS_SECRET_ACCESS_KEY=[redacted] GITHUB_TOKEN=[redacted]'],
  ['https://x/?access_token=abc&page=2', 'https://x/?access_token=[redacted]&page=2'],
  ['Cookie: session=abc; theme=dark', 'Cookie: session=[redacted]'],
  ['postgres://me:pw@db/x', 'postgres://me:[redacted]@db/x'],
  ['use sk-abcdefgh12345678 now', 'use [redacted] now'],
  ['AKIAABCDEFGHIJKLMNOP', '[redacted]'],
  ['{"password":"p w","a":1}', '{"password":"[redacted]","a":1}'],
  ['{"password":"p\\"w","a":1}', '{"password":"[redacted]","a":1}'],
  ['"{\\"api_key\\": \\"p w\\",\\"a\\":1}"', '"{\\"api_key\\": \\"[redacted]\\",\\"a\\":1}"'],
  ["{'secret': 'p w'}", "{'secret': '[redacted]'}"],
  ['{"token":{"type":"string"}}', '{"token":{"type":"string"}}'],
  ['max_tokens: 100, tokens=5', 'max_tokens: 100, tokens=5'],
  ['the secret of good tea', 'the secret of good tea'],
  ['ls -la /tmp', 'ls -la /tmp'],
])('%j becomes %j', (text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
  expect(redactSecrets(expected)).toBe(expected);
});

test.each([
  [
    ['--token', 'abc', '--x'],
    ['--token', '[redacted]', '--x'],
  ],
  [
    ['--API-KEY', '-abc', 'y'],
    ['--API-KEY', '[redacted]', 'y'],
  ],
  [
    ['--token', '--verbose'],
    ['--token', '--verbose'],
  ],
  [
    ['-u', 'me:pw', 'https://x'],
    ['-u', 'me:[redacted]', 'https://x'],
  ],
  [
    ['-u', 'me'],
    ['-u', 'me'],
  ],
  [
    ['-c', 'login --password hunter2'],
    ['-c', 'login --password [redacted]'],
  ],
])('arguments %j become %j', (args, expected) => {
  expect(redactArguments(args)).toEqual(expected);
});

test('members that are called credentials', () => {
  const value = { apiKey: 'a', db: { Password: 'b', host: 'h' }, token: { type: 'string' }, max_tokens: 5 };
  expect(redactDeep(value)).toEqual({
    apiKey: '[redacted]',
    db: { Password: '[redacted]', host: 'h' },
    token: { type: 'string' },
    max_tokens: 5,
  });
  expect(redactDeep({ token: 'Hello', logprob: -0.1 })).toEqual({ token: 'Hello', logprob: -0.1 });
});

test('hostile text takes linear time', () => {
  const started = performance.now();
  for (const part of ['-', '--token ', 'token', '"\\', 'cookie:', '://a:', '-u a'])
    redactSecrets(part.repeat(30_000 / part.length), 30_000);
  expect(performance.now() - started).toBeLessThan(2000);
});

test('a long text is cut', () => {
  expect(redactSecrets('a'.repeat(10_000))).toHaveLength(513);
});

test.each([492, 8704 - 20, 9216 - 20])('a secret at the edge of what is kept does not stay in half (%i)', (before) => {
  const text = `${'a b '.repeat(before / 4)}ghp_${'0123456789'.repeat(4)} ${'c '.repeat(9)}`;
  expect(redactSecrets(text)).not.toContain('ghp_');
  expect(redactSecrets(text, 20_000)).not.toContain('ghp_');
});
