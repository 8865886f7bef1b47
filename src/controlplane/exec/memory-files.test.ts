import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { withoutMemoryPrograms } from './memory-files.ts';

interface Profile {
  readonly syscalls: readonly { readonly names: readonly string[]; readonly args?: unknown }[];
}

test('only memory files that can not be executed are made; all else is as it was', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../profiles/seccomp/default.json'), 'utf8');
  const [before, after] = [text, withoutMemoryPrograms(text)].map((profile) => JSON.parse(profile) as Profile);
  const naming = (profile: Profile | undefined, name: string): unknown[] =>
    (profile?.syscalls ?? []).filter(({ names }) => names.includes(name)).map(({ args }) => args);
  expect(naming(before, 'memfd_create')).toEqual([undefined]);
  expect(naming(after, 'memfd_create')).toEqual([[{ index: 1, value: 8, valueTwo: 8, op: 'SCMP_CMP_MASKED_EQ' }]]);
  const others = (profile: Profile | undefined): string[] =>
    (profile?.syscalls ?? []).flatMap(({ names }) => names).filter((name) => name !== 'memfd_create');
  expect(others(after)).toEqual(others(before));
});
