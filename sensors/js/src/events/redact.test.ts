import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { expect, test } from 'vitest';

import type { JsonValue } from '../../../../src/core/json.ts';
import { redactArguments, redactDeep, redactSecrets } from './redact.ts';

type Pairs<Value> = readonly (readonly [Value, Value])[];

/** What both sensors keep out of events, and what they leave. */
const {
  texts,
  arguments: commands,
  values,
} = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../../test/vectors/redaction/credentials.json'), 'utf8'),
) as { readonly texts: Pairs<string>; readonly arguments: Pairs<string[]>; readonly values: Pairs<JsonValue> };

test.each(texts)('%j becomes %j', (text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
  expect(redactSecrets(expected)).toBe(expected);
});

test.each(commands)('arguments %j become %j', (args, expected) => {
  expect(redactArguments(args)).toEqual(expected);
});

test.each(values)('members of %j', (value, expected) => {
  expect(redactDeep(value)).toEqual(expected);
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
