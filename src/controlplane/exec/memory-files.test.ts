import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { withoutMemoryPrograms } from './memory-files.ts';

interface Profile {
  readonly syscalls: readonly { readonly names: readonly string[]; readonly args?: unknown }[];
}

function naming({ syscalls }: Profile, name: string): unknown[] {
  return syscalls.filter(({ names }) => names.includes(name)).map(({ args }) => args);
}

function others({ syscalls }: Profile): string[] {
  return syscalls.flatMap(({ names }) => names).filter((name) => name !== 'memfd_create');
}

test('only memory files that can not be executed are made; all else is as it was', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../profiles/seccomp/default.json'), 'utf8');
  const before = JSON.parse(text) as Profile;
  const after = JSON.parse(withoutMemoryPrograms(text)) as Profile;
  expect(naming(before, 'memfd_create')).toEqual([undefined]);
  expect(naming(after, 'memfd_create')).toEqual([[{ index: 1, value: 8, valueTwo: 8, op: 'SCMP_CMP_MASKED_EQ' }]]);
  expect(others(after)).toEqual(others(before));
});
