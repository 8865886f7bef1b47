import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { ERRORS } from '../src/core/error-codes/index.ts';

/** Everything that these files say. */
function textOf(files: readonly string[]): string {
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

const tests = textOf(globSync('{src,test/e2e,scripts}/**/*.test.ts'));
const sources = textOf(
  globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts') && !file.includes('/error-codes/')),
);
// The helpers say theirs in C.
const helpers = textOf(globSync('sensors/kernel/**/*.c'));
const codes = Object.keys(ERRORS);
const absentFrom = (text: string): string[] => codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(text));

test('every error code has a test that names it', () => {
  expect(absentFrom(tests)).toEqual([]);
});

test('every error code is raised somewhere', () => {
  expect(absentFrom(sources + helpers)).toEqual([]);
});
