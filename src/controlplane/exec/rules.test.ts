import { expect, test } from 'vitest';

import { kernelRules, policyPointer } from './rules.ts';

const sources = (list: readonly string[] | null | undefined, path: string): number =>
  (list ?? []).findIndex((source) => new RegExp(source, 'u').test(path));

test('one rule for each glob, in its place', () => {
  const rules = kernelRules({ exec: { remediate: true, deny_list: ['/a/*', '{/b,/c}/**', '**/curl'] } });
  expect(rules).toMatchObject({ mode: 'enforce', drift: 'allow', allow: null });
  expect(['/a/x', '/c/x/y', '/usr/bin/curl', '/bin/sh'].map((path) => sources(rules?.deny, path))).toEqual([
    0, 1, 2, -1,
  ]);
});

test('an allow list, even an empty one, also has what the sandbox itself needs', () => {
  const rules = kernelRules({ exec: { allow_list: [] } });
  expect(rules?.mode).toBe('observe');
  expect(sources(rules?.allow, '/.ucp/init')).toBeGreaterThanOrEqual(0);
  expect(sources(rules?.allow, '/bin/sh')).toBe(-1);
});

test.each([
  undefined,
  { enable: false, remediate: true, deny_list: ['/a'] },
  { enable: true, remediate: true },
  { deny_list: [], drift: 'allow' as const },
])('%j decides nothing', (exec) => {
  expect(kernelRules({ exec })).toBeUndefined();
});

test('drift alone is a rule', () => {
  expect(kernelRules({ exec: { drift: 'deny' } })).toMatchObject({ drift: 'deny', deny: [], allow: null });
});

test("places of the helper's requests are places of the document", () => {
  expect(['/deny/3', '/deny', '/allow/0', '/drift', '/pid', ''].map(policyPointer)).toEqual([
    '/exec/deny_list/3',
    '/exec/deny_list',
    '/exec/allow_list/0',
    '/exec/drift',
    '/pid',
    '',
  ]);
});
