import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { matcher } from '../regex/run-program.ts';
import { regexProblem } from '../regex/compile-program.ts';
import { BUILTIN_SETS } from '../schema/patterns.ts';
import { BUILTIN_PATTERNS, builtinPrograms } from './builtin.ts';
import { patternDocs } from './document.ts';
import { corpora, quality } from './measure.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CORPORA = corpora((set) => readFileSync(join(ROOT, 'test/corpus', `${set}.jsonl`), 'utf8'));

describe.each(BUILTIN_SETS)('the set %s', (set) => {
  const examples = CORPORA.get(set) ?? [];

  it('has a corpus of 60 positive and 100 negative texts at least, half of it held out', () => {
    const all = quality(set, examples);
    expect(all.positives).toBeGreaterThanOrEqual(60);
    expect(all.negatives).toBeGreaterThanOrEqual(100);
    const heldOut = examples.filter(({ split }) => split === 'held_out').length;
    expect(heldOut / examples.length).toBeCloseTo(0.5, 1);
  });

  it.each(['tune', 'held_out'])('has a precision of 0.9 at least on texts for %s', (split) => {
    const part = quality(
      set,
      examples.filter((example) => example.split === split),
    );
    expect(part.precision).toBeGreaterThanOrEqual(0.9);
  });

  it('finds most of what it is for', () => {
    expect(quality(set, examples).recall).toBeGreaterThanOrEqual(0.75);
  });

  it('has patterns with names of their own, each good for something', () => {
    const patterns = BUILTIN_PATTERNS[set];
    expect(new Set(patterns.map(({ name }) => name)).size).toBe(patterns.length);
    expect(patterns.map(({ regex }) => regexProblem(regex)).filter((problem) => problem !== undefined)).toEqual([]);
    const positives = examples.filter(({ label }) => label === 1);
    const idle = builtinPrograms(set).filter(
      ({ program }) => !positives.some(({ text }) => matcher(program).test(text)),
    );
    expect(idle.map(({ name }) => name)).toEqual([]);
  });
});

describe('docs/patterns.md', () => {
  it('says what the corpus says', () => {
    expect(readFileSync(join(ROOT, 'docs/patterns.md'), 'utf8')).toBe(patternDocs(CORPORA));
  });
});
