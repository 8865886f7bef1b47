import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { policyErrors } from '../src/core/error-codes/policy.ts';
import { GENERATED } from './docs/files.ts';

describe('generated documents', () => {
  test.each(Object.keys(GENERATED))('%s is up to date (npm run docs)', (path) => {
    expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8')).toBe(GENERATED[path]?.());
  });
});

describe('codes of the policy room', () => {
  const cwd = join(import.meta.dirname, '..');
  const tests = globSync('src/**/*.test.ts', { cwd }).map((path) => readFileSync(join(cwd, path), 'utf8'));

  test.each(Object.keys(policyErrors))('%s has a test that provokes it', (code) => {
    expect(tests.some((text) => text.includes(code))).toBe(true);
  });
});
