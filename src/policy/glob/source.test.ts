import * as fc from 'fast-check';
import { Minimatch } from 'minimatch';
import { describe, expect, it } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { globListSource, globListSources, globProblem } from './source.ts';

const PAIRS = process.env['UCP_FULL'] === '1' ? 1_200_000 : 60_000;
const PATHS_PER_GLOB = 12;

function regexOf(globs: readonly string[]): RegExp {
  return new RegExp(globListSource(globs), 'u');
}

function reference(glob: string): (path: string) => boolean {
  const compiled = new Minimatch(glob, { dot: true, nonegate: true, nocomment: true, platform: 'linux' });
  return (path) => compiled.match(path);
}

/** What our source says, or undefined where the glob is refused. */
function compiled(glob: string): RegExp | undefined {
  try {
    return regexOf([glob]);
  } catch (error) {
    if (error instanceof UcpError && error.code === 'GLOB_INVALID') return undefined;
    throw error;
  }
}

describe('globListSource (EX-14)', () => {
  it.each([
    ['/usr/bin/*', '/usr/bin/curl', true],
    ['/usr/bin/*', '/usr/bin/x/curl', false],
    ['/usr/**', '/usr/bin/x/curl', true],
    ['/usr/**', '/usr', false],
    ['**/curl', '/usr/bin/curl', true],
    ['**/curl', '/usr/bin/Curl', false],
    ['**/curl', '/usr/bin/curl ', false],
    ['**/cur?', '/usr/bin/curl', true],
    ['/usr/**/python3*', '/usr/lib/a/python3.12', true],
    ['/opt/[a-c]*/run', '/opt/beta/run', true],
    ['/opt/[!a-c]*/run', '/opt/beta/run', false],
    ['/opt/\\*/run', '/opt/*/run', true],
    ['/opt/\\*/run', '/opt/x/run', false],
    ['/opt/\\[x]', '/opt/[x]', true],
    ['/{usr,opt}/{,local/}bin/x', '/opt/local/bin/x', true],
    ['#x', '#x', true],
    ['!x', '!x', true],
    ['!x', 'y', false],
    ['/a/.*', '/a/.hidden', true],
    ['/a/*', '/a/.hidden', true],
    ['/a/*', '/a/..', false],
    ['**/!(*.test).js', '/src/a.js', true],
    ['**/!(*.test).js', '/src/a.test.js', false],
    ['**/*.!(js)', '/src/a.ts', true],
    ['/x/+([0-9])', '/x/123', true],
    ['/x/+([0-9])', '/x/12a', false],
    ['/x/*', '/x/a\nb', true],
    ['/x', '/x\n', false],
  ])('%s and %j: %s', (glob, path, expected) => {
    expect(regexOf([glob]).test(path)).toBe(expected);
    expect(reference(glob)(path)).toBe(expected);
  });

  const piece = fc.constantFrom(
    ...'a b ab . .. * * ** ** ? / / / [ab] [!a] [a-] [^/b] \\* \\a @(a|b) ?(b) +(a|b) +(ab|c) *(ab) !(a) !(a|b*) !(*.b) {a,b} {,a/}b {1..3} | ( ) [ ] { é \u{1f600} - ! #'.split(
      ' ',
    ),
  );
  const pieces = fc.array(piece, { minLength: 1, maxLength: 9 });
  const glob = pieces.map((parts) => parts.join(''));
  const segment = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.string({
        unit: fc.constantFrom(...'a a a b b b c . * é - \u{1f600}'.split(' ')),
        minLength: 1,
        maxLength: 4,
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom('.', '..', '.a', 'b.b', '1', '2', '(', '|', '!a', '#a') },
  );
  /** What each piece may stand for, so that many paths are close to their glob. */
  const meant: Readonly<Record<string, readonly string[]>> = {
    '*': ['', 'a', 'ab', '.b'],
    '**': ['', 'a', 'a/b', 'b/a/b'],
    '?': ['a', 'é', '/'],
    '[ab]': ['a', 'b', 'c'],
    '[!a]': ['b', 'a'],
    '+(a|b)': ['a', 'abba', ''],
    '+(ab|c)': ['ab', 'cab', 'b'],
    '*(ab)': ['', 'abab'],
    '!(a)': ['', 'a', 'b', 'aa'],
    '!(a|b*)': ['a', 'bb', 'c'],
    '!(*.b)': ['a.b', 'a.c', ''],
    '@(a|b)': ['a', 'b'],
    '?(b)': ['', 'b'],
    '{a,b}': ['a', 'b'],
    '{,a/}b': ['b', 'a/b'],
    '{1..3}': ['1', '3', '4'],
    '\\*': ['*', 'a'],
    '\\a': ['a'],
  };
  const derived = (pieces: readonly string[]) =>
    fc.array(fc.nat(5), { minLength: pieces.length, maxLength: pieces.length }).map((choices) =>
      pieces
        .map((part, index) => {
          const options = meant[part] ?? [part];
          return options[(choices[index] ?? 0) % options.length] ?? '';
        })
        .join('')
        .replaceAll(/\/{2,}/g, '/'),
    );
  const path = fc
    .tuple(
      fc.constantFrom('', '/'),
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('', '', '', '/'),
    )
    .map(([begin, segments, end]) => begin + segments.join('/') + end);

  const globAndPaths = pieces.chain((parts) => {
    const near = fc.oneof(path, { weight: 2, arbitrary: derived(parts) });
    return fc.tuple(
      fc.constant(parts.join('')),
      fc.array(near, { minLength: PATHS_PER_GLOB, maxLength: PATHS_PER_GLOB }),
    );
  });

  it(`agrees with minimatch on ${PAIRS} pairs of a glob and a path, or refuses the glob`, () => {
    const tally = { compared: 0, matched: 0, refused: 0 };
    fc.assert(
      fc.property(globAndPaths, ([pattern, paths]) => {
        const ours = compiled(pattern);
        if (ours === undefined) {
          tally.refused++;
          return;
        }
        const theirs = reference(pattern);
        const differ: unknown[] = [];
        for (const text of paths) {
          const [got, wanted] = [ours.test(text), theirs(text)];
          tally.compared++;
          if (wanted) tally.matched++;
          if (got !== wanted) differ.push({ pattern, text, got, wanted });
        }
        expect(differ).toEqual([]);
      }),
      { numRuns: Math.ceil((PAIRS * 2) / PATHS_PER_GLOB) },
    );
    expect(tally.compared).toBeGreaterThan(PAIRS);
    expect(tally.matched).toBeGreaterThan(PAIRS / 10);
  }, 1_200_000);

  it('compiles a list to what its globs match one by one', () => {
    fc.assert(
      fc.property(fc.array(glob, { maxLength: 8 }), path, (patterns, text) => {
        const accepted = patterns.filter((pattern) => compiled(pattern) !== undefined);
        expect(regexOf(accepted).test(text)).toBe(accepted.some((pattern) => compiled(pattern)?.test(text)));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '**/a*a*a*a*b',
    '/**/a/**/a/**/a/**/a/b',
    '/x/*a*a*a*a*a*a*a*',
    '/x/*(ab)*c',
    '**/*a!(b|c)d',
    '/{a,b}*{a,b}*{a,b}*{a,b}*c',
  ])('matches %s against long texts without trying again and again', (pattern) => {
    const source = regexOf([pattern]);
    for (const text of [
      `/x/${'a'.repeat(4_000)}`,
      '/a'.repeat(2_000),
      `/x/${'ab'.repeat(2_000)}`,
      `/${'a/b'.repeat(1_300)}`,
    ]) {
      expect(source.test(text)).toBe(reference(pattern)(text));
    }
  });

  it('matches nothing for an empty list', () => {
    expect(regexOf([]).test('')).toBe(false);
    expect(regexOf([]).test('/a')).toBe(false);
  });

  it('writes shared begins once', () => {
    expect(globListSource(['/usr/bin/a', '/usr/bin/b'])).toBe('^(?:/usr/bin/(?:a/?(?![\\s\\S])|b/?(?![\\s\\S])))');
  });

  it('keeps every rule of a long list', () => {
    const globs = Array.from({ length: 20_000 }, (_, index) => `/opt/app-${index}/bin/*`);
    const sources = globListSources(globs).map((source) => new RegExp(source, 'u'));
    const matches = (path: string): number => sources.filter((source) => source.test(path)).length;
    for (const index of [0, 64, 9_999, 19_999]) expect(matches(`/opt/app-${index}/bin/x`)).toBe(1);
    expect(matches('/opt/app-20000/bin/x')).toBe(0);
    expect(globListSources([])).toEqual([]);
  });
});

describe('globProblem', () => {
  it.each([
    ['', 'empty'],
    ['[[:alpha:]]', 'POSIX'],
    ['{1..2000}', '1000 patterns'],
    ['/{x,y}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}', '1000 patterns'],
    ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', '1000 patterns'],
    ['+(a|ab)', 'begins like another'],
    ['+(a)+(b)', 'one is the limit'],
    ['!(a)*', 'nearly everything'],
    ['*!(*a)', 'before and inside'],
    ['*+(a)*', 'both sides'],
    ['+(a*)', 'inside +(…)'],
    ['+(.)', 'dots'],
    ['@(+(a)|!(b+(c)))', 'inside another group'],
    ['**/../**/./**', '".."'],
    ['a\ud800', 'surrogate'],
    ['x'.repeat(5_000), '4096 characters'],
    ['[b-a]', 'nothing in it'],
    ['[a', 'without its'],
    ['a/*()', 'empty group'],
  ])('says why %j is refused', (pattern, why) => {
    expect(globProblem(pattern)).toContain(why);
  });

  it('says nothing of a good one', () => {
    expect(globProblem('/usr/{bin,sbin}/*')).toBeUndefined();
  });
});
