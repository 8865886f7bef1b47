import { globSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { REQUIREMENTS } from '../test/e2e/requirements.ts';

/** Ids in the first argument of each `verifies([...], …)` call. */
function citedIds(source: string): string[] {
  return [...source.matchAll(/\bverifies\(\s*\[([^\]]*)\]/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
  );
}

const files = globSync('test/{e2e,bypass}/**/*.test.ts');
const cited = new Set(files.flatMap((file) => citedIds(readFileSync(file, 'utf8'))));

describe('the requirements manifest', () => {
  test('has every requirement cited by a test', () => {
    expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
  });

  test('knows every cited id', () => {
    expect([...cited].filter((id) => !(id in REQUIREMENTS))).toEqual([]);
  });
});
