import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../core/json.ts';
import { policies } from './fuzz-policies.ts';
import { inspectPolicy, parsePolicy } from './parse-policy.ts';

/** 100,000 documents with UCP_FULL=1, else a sample. */
const RUNS = process.env['UCP_FULL'] === '1' ? 25_000 : 500;
const TIMEOUT = process.env['UCP_FULL'] === '1' ? 1_800_000 : 20_000;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What is accepted means what it says: it is the JSON that any reader sees, and reading it again changes nothing. */
function faithful(bytes: Uint8Array): boolean {
  const { policy, problems, decisions } = inspectPolicy(bytes);
  if (policy === undefined) return problems.length > 0;
  const again = parsePolicy(encode(JSON.stringify(policy)));
  const plain: JsonValue = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const same = decisions.length > 0 || isDeepStrictEqual(withoutNotes(plain, policy), policy);
  return problems.length === 0 && isDeepStrictEqual(again, policy) && same;
}

/** `plain` without the keys that `policy` has not, which must be notes. */
function withoutNotes(plain: unknown, policy: unknown): unknown {
  if (!isObject(plain) || !isObject(policy)) return plain;
  if (Array.isArray(plain) && Array.isArray(policy))
    return plain.map((item, index) => withoutNotes(item, policy[index]));
  const entries = Object.entries(plain).filter(([key]) => Object.hasOwn(policy, key) || !key.startsWith('x-'));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNotes(value, policy[key])]));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Fragments that readers disagree about, and ordinary ones. */
const FRAGMENTS = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\ufeff',
  '//',
  '/*',
  'null',
  '1e999',
  '-0',
  '"__proto__":1,',
  '"exec":{},',
  '"x-a":1,',
  '"enable":false,',
  '\u0000',
  '\\ud800',
  ' ',
  '\n',
  '"\\u0065xec":{},',
  '99999999999999999999',
];

interface Edit {
  readonly at: number;
  readonly drop: number;
  readonly insert: string;
}

/** `text` with pieces cut out and put in; places are fractions of its length. */
function mutate(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { at, drop, insert } of edits) {
    const from = Math.floor(at * changed.length);
    changed = changed.slice(0, from) + insert + changed.slice(from + drop);
  }
  return changed;
}

const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.integer({ min: 0, max: 3 }),
    insert: fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 3, unit: 'binary' })),
  }),
  { minLength: 1, maxLength: 3 },
);

describe('any document', () => {
  test('that is a policy is accepted, and comes back as it is', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(policies, (policy) => {
        expect(inspectPolicy(encode(JSON.stringify(policy, null, 1)))).toMatchObject({ problems: [], decisions: [] });
        expect(parsePolicy(encode(JSON.stringify(policy)))).toEqual(policy);
      }),
      { numRuns: RUNS },
    );
  });

  test(
    'that is a policy with a mistake in it is refused with a place, or means what it says',
    { timeout: TIMEOUT },
    () => {
      fc.assert(
        fc.property(policies, edits, (policy, changes) => {
          expect(faithful(encode(mutate(JSON.stringify(policy), changes)))).toBe(true);
        }),
        { numRuns: RUNS },
      );
    },
  );

  test('with bytes changed is refused with a place, or means what it says', { timeout: TIMEOUT }, () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 7 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(policies, flips, (policy, changes) => {
        const bytes = encode(JSON.stringify(policy));
        for (const [at, bit] of changes) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
        expect(faithful(bytes)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test(
    'that is any JSON under the names of sections is refused with a place, or means what it says',
    { timeout: TIMEOUT },
    () => {
      const key = fc.constantFrom(
        'exec',
        'mcp',
        'brace',
        'options',
        'network',
        'js_sensor',
        'enable',
        'deny_list',
        'match_list',
        'explicit_deny_list',
        'bind_mount',
        'x-a',
        'firewall',
      );
      const value = fc.letrec<{ tree: unknown }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 5 },
          fc.constantFrom(null, true, false, 0, '', '/a', '*'),
          fc.array(tie('tree'), { maxLength: 2 }),
          fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
        ),
      }));
      fc.assert(
        fc.property(fc.dictionary(key, value.tree, { noNullPrototype: true }), (sections) => {
          expect(faithful(encode(JSON.stringify({ policy_id: 'a', version: 1, ...sections })))).toBe(true);
        }),
        { numRuns: RUNS },
      );
    },
  );

  test('of any bytes is refused with a place', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const [problem] = inspectPolicy(bytes).problems;
        expect(problem?.line).toBeGreaterThanOrEqual(1);
        expect(problem?.column).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: RUNS },
    );
  });
});
