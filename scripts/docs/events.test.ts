import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { CATALOGUE } from './event-catalogue.ts';

const cwd = join(import.meta.dirname, '../..');
const sources = globSync(['src/**/*.ts', 'sensors/js/src/**/*.ts', 'sensors/python/ucp_sensor/**/*.py'], { cwd })
  .filter((path) => !/\.test\.ts$|\/testing\/|fixtures/.test(path))
  .map((path) => readFileSync(join(cwd, path), 'utf8'));
const names = CATALOGUE.flatMap(({ events }) => events.map(({ name }) => name));

/** Where an event is made: its name is followed by its domain; in Python, both are arguments. */
const EMITTED = [
  /name: '([a-z0-9_]+)',\s+domain: '/g,
  /\bemit\(\s*"([a-z0-9_]+)",\s*"/g,
  /\bevent\('([a-z_]+)',/g,
  /reportSeen\([^)]*'(mcp_[a-z_]+)'/g,
];

describe('the table of events', () => {
  test('names each event once', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(names)('%s is one that something emits', (name) => {
    expect(sources.some((text) => text.includes(`'${name}'`) || text.includes(`"${name}"`))).toBe(true);
  });

  test('has every event that the sources name (add it to scripts/docs/event-catalogue.ts, then npm run docs)', () => {
    const emitted = sources.flatMap((text) =>
      EMITTED.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')),
    );
    expect(emitted.filter((name) => name.includes('_') && !names.includes(name))).toEqual([]);
  });
});
