import { describe, expect, test } from 'vitest';

import { LIMITS, redact, redactObject } from './redact.ts';
import { redactText } from './secrets.ts';
import { MAX_EVENT, parseStored, storedLine } from './stored-event.ts';

const long = (prefix: string, length: number): string => `${prefix}${'aB3'.repeat(100).slice(0, length)}`;

describe('secrets in text', () => {
  test.each([
    [`key ${long('AKIA', 0)}ABCDEFGHIJKLMNOP.`, 'key [redacted:aws_key].'],
    [long('ghp_', 36), '[redacted:github_token]'],
    [long('github_pat_', 60), '[redacted:github_token]'],
    [long('glpat-', 20), '[redacted:gitlab_token]'],
    [long('xoxb-', 30), '[redacted:slack_token]'],
    [`--key=${long('sk-ant-api03-', 40)}`, '--key=[redacted:api_key]'],
    [long('sk_live_', 24), '[redacted:payment_key]'],
    [long('AIza', 35), '[redacted:google_key]'],
    [long('npm_', 36), '[redacted:registry_token]'],
    [`${long('eyJ', 20)}.${long('eyJ', 20)}.${long('x', 20)}`, '[redacted:jwt]'],
    ['Authorization: Bearer abcdef0123456789', 'Authorization: Bearer [redacted]'],
    ['postgres://ada:hunter22@db/x', 'postgres://ada:[redacted]@db/x'],
    ['curl --data password=hunter22&x=1', 'curl --data password=[redacted]&x=1'],
    ['{"api_key": "abcdef"}', '{"api_key": "[redacted]"}'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b', 'a [redacted:private_key] b'],
    ['-----BEGIN PRIVATE KEY-----\nMII and no end', '[redacted:private_key]'],
  ])('%s', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  test.each([
    'node server.js --port 8080',
    'the secret of good soup is patience',
    'https://example.com/tokens?page=2',
    'task-runner sk-short eyJust.a.word',
    '/usr/lib/python3/site-packages/passlib/key.py',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ])('leaves %s alone', (text) => {
    expect(redactText(text)).toBe(text);
  });

  // A pattern that went back over its own run would need hours for these, and the test would time out.
  test.each(['eyJ-', 'xoxb-', 'sk-', 'AIza-', '-----BEGIN PRIVATE KEY-----', '://a:', 'password=', 'Bearer '])(
    'gets through a megabyte of %s',
    (unit) => {
      expect(redactText(unit.repeat(1_000_000 / unit.length)).length).toBeGreaterThan(0);
    },
  );
});

describe('values of an event', () => {
  test('redacts by the name of a field and after a flag of a command line', () => {
    expect(
      redactObject({
        'http.request.header.authorization': 'x',
        password: 'abc',
        DB_PASSWORD: 'abc',
        argv: ['mysql', '--password', 'abc', '-h', 'db'],
        'gen_ai.usage.input_tokens': 5,
        token: 7,
        tokens: 'many',
      }),
    ).toEqual({
      'http.request.header.authorization': '[redacted]',
      password: '[redacted]',
      DB_PASSWORD: '[redacted]',
      argv: ['mysql', '--password', '[redacted]', '-h', 'db'],
      'gen_ai.usage.input_tokens': 5,
      token: 7,
      tokens: 'many',
    });
  });

  test('bounds strings, arrays, objects and depth, and says so in place', () => {
    const limits = { text: 10, items: 2, depth: 2 };
    expect(
      redactObject({ text: 'x'.repeat(25), list: [1, 2, 3, 4, 5], deep: { a: { b: 1 } } }, { ...limits, items: 3 }),
    ).toEqual({
      text: `${'x'.repeat(10)}[truncated: 15 more characters]`,
      list: [1, 2, 3, '[truncated: 2 more items]'],
      deep: { a: '[truncated: too deep]' },
    });
    expect(redactObject({ a: 1, b: 2, c: 3 }, limits)).toEqual({ a: 1, b: 2, truncated: '[truncated: 1 more keys]' });
  });

  test('redacts a secret that lies across the cut', () => {
    const text = `${'x'.repeat(LIMITS.text - 10)} ${long('ghp_', 36)}${'y'.repeat(100)}`;
    const { found } = redactObject({ found: text });
    expect(found).not.toContain('ghp_');
  });

  test('takes what JSON cannot carry', () => {
    const hostile: unknown = JSON.parse('{"__proto__": {"x": 1}}');
    expect(JSON.stringify(redact(hostile))).toBe('{"__proto__":{"x":1}}');
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(JSON.stringify(redact(loop))).toContain('too deep');
    expect(redactObject({ nan: Number.NaN })).toEqual({ nan: null });
  });
});

test('an event is never larger than its bound, and keeps who, when and why', () => {
  const body = Object.fromEntries(Array.from({ length: 200 }, (_, k) => [`k${k}`, 'x'.repeat(16_000)]));
  const violation = { rule: '/exec/deny_list/0', mode: 'enforce', action: 'blocked', message: 'm' } as const;
  const line = storedLine(
    { name: 'exec_violation', domain: 'exec', severity: 'ERROR', scope: 's', body, attributes: body, violation },
    { id: 'id-1', now: 1, boot: 'b', seq: 1 },
  );
  expect(line.length).toBeLessThanOrEqual(MAX_EVENT);
  expect(parseStored(line)).toMatchObject({ id: 'id-1', name: 'exec_violation', violation, class: 'critical' });
});
