import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';

import { compileProgram, regexProblem } from './compile-program.ts';
import { foldOrbit } from './fold.ts';
import { matcher, union } from './run-program.ts';

const RUNS = process.env['UCP_FULL'] === '1' ? 400_000 : 20_000;

/** What re2js itself finds: verdict and the matches that are not empty. */
function reference(regex: string, text: string): { test: boolean; spans: string[] } {
  const compiled = RE2JS.compile(regex);
  const spans: string[] = [];
  const found = compiled.matcher(text);
  while (found.find()) if (found.end() > found.start()) spans.push(`${found.start()}-${found.end()}`);
  return { test: compiled.test(text), spans };
}

function ours(regex: string, text: string): { test: boolean; spans: string[] } {
  const program = matcher(compileProgram(regex));
  return { test: program.test(text), spans: program.spans(text).map(({ start, end }) => `${start}-${end}`) };
}

describe('a program', () => {
  it.each([
    ['a+?b', 'aaab ab'],
    ['(?i)straße|K', 'STRASSE \u212a k STRAßE ẞ'],
    ['(?i)ς', 'Σσς'],
    ['(?i)[k-s]', 'K\u017f'],
    ['\\bkey\\b', 'key keys monkey key'],
    ['\\Bé\\B', 'aéa é'],
    ['(?m)^x$', 'x\nx\n\nxx\nx'],
    ['^x|y$', 'xy xy'],
    ['\\Ax\\z', 'x\n'],
    ['(?s).+', 'a\nb'],
    ['.+', 'a\nb'],
    ['\\p{Greek}+', 'abc αβγ \u{1f600}'],
    ['[^\\x00-\\x7f]', 'a\u{1f600}b\ud800c'],
    ['(a|ab)(c|bcd)', 'abcd'],
    ['a*', 'baac'],
    ['(|a)+', 'aaa'],
    ['(?:a{2,3}){2}', 'aaaaaaaaaaa'],
    ['x{0}', 'x'],
    ['[[:^alpha:]]', 'a1 é'],
    ['\\x{1F600}+', '\u{1f600}\u{1f600}'],
    ['\\Qa.b\\E', 'axb a.b'],
  ])('finds for /%s/ in %j what RE2 finds', (regex, text) => {
    expect(ours(regex, text)).toEqual(reference(regex, text));
  });

  const atom = fc.constantFrom(
    ...'a b . \\w \\W \\b \\B ^ $ [ab] [^a] é (?i:k) \\s \\n (?m:^) (?m:$) (?s:.) \\d [\\x{1f600}-\\x{1f64f}] (?i:ß) [[:upper:]]'.split(
      ' ',
    ),
    '',
  );
  const { regex } = fc.letrec<{ regex: string; piece: string }>((tie) => ({
    piece: fc.oneof(
      { depthSize: 'small' },
      atom,
      fc
        .tuple(tie('regex'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{1,2}', '{2}'))
        .map(([r, q]) => `(?:${r})${q}`),
      tie('regex').map((r) => `(${r})`),
    ),
    regex: fc.oneof(
      { depthSize: 'small' },
      tie('piece'),
      fc.tuple(tie('piece'), tie('piece')).map((parts) => parts.join('')),
      fc.tuple(tie('regex'), tie('regex')).map((parts) => `(?:${parts.join('|')})`),
    ),
  }));
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      'c',
      ' ',
      '\n',
      '_',
      '1',
      'A',
      'K',
      'k',
      '\u212a',
      'é',
      'ß',
      'ẞ',
      '\u{1f600}',
      '\ud800',
      '\udc00',
    ),
    maxLength: 24,
  });

  it(`agrees with RE2 on verdicts and spans of ${RUNS} generated patterns and texts`, () => {
    fc.assert(
      fc.property(regex, text, (source, input) => {
        expect(ours(source, input)).toEqual(reference(source, input));
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  it('agrees with the union of programs on whether any matches', () => {
    fc.assert(
      fc.property(fc.array(regex, { minLength: 1, maxLength: 5 }), text, (sources, input) => {
        const programs = sources.map(compileProgram);
        expect(matcher(union(programs)).test(input)).toBe(programs.some((program) => matcher(program).test(input)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes time that grows with the text, not with what a backtracker would try', () => {
    const program = matcher(compileProgram('(?:a|a)*(?:a|a)*(?:a+)+b'));
    const long = 'a'.repeat(100_000);
    expect(program.test(long)).toBe(false);
    expect(program.spans(`${long}b`)).toEqual([{ start: 0, end: 100_001 }]);
  });

  it('marks the rest of a text when exact spans would take quadratic time', () => {
    const program = matcher(compileProgram('a(?:.*b)?'));
    const spans = program.spans('a'.repeat(20_000));
    expect(spans.at(-1)?.end).toBe(20_000);
    expect(spans.length).toBeLessThan(1_000);
  });

  it('survives more states than it keeps', () => {
    const program = matcher(compileProgram('a.{14}b'));
    let seed = 1;
    const text = Array.from({ length: 60_000 }, () =>
      (seed = (seed * 48_271) % 2_147_483_647) % 2 === 0 ? 'a' : 'c',
    ).join('');
    expect(program.test(text)).toBe(false);
    expect(program.test(`${text}a${'c'.repeat(14)}b`)).toBe(true);
  });
});

describe('compileProgram', () => {
  it.each(['(?=a)', '(a)\\1', '(?<!a)b', '(', 'a{1001}', '\\p{Nope}', '[z-a]'])('refuses /%s/', (regex) => {
    expect(() => compileProgram(regex)).toThrow(expect.objectContaining({ code: 'REGEX_INVALID' }));
    expect(regexProblem(regex)).toContain('RE2 syntax');
  });

  it.each(['a*', '(?:)', 'x|', '\\b|'])('finds that /%s/ matches everything', (regex) => {
    expect(regexProblem(regex)).toContain('matches the empty text');
  });

  it.each(['^$', 'a+', '^\\s*$', '\\b'])('finds nothing wrong with /%s/', (regex) => {
    expect(regexProblem(regex)).toBeUndefined();
  });

  it('refuses a pattern that would need too many instructions', () => {
    expect(() => compileProgram('a{1000}'.repeat(25))).toThrow(expect.objectContaining({ code: 'REGEX_TOO_LARGE' }));
  });

  it('folds every cased letter as RE2 does', () => {
    const wrong: number[] = [];
    for (let code = 0x41; code < 0x1_e960; code++) {
      const orbit = foldOrbit(code);
      if (orbit.length === 1 && String.fromCodePoint(code).toLowerCase() === String.fromCodePoint(code).toUpperCase())
        continue;
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const folded = RE2JS.compile(`(?i)^\\x{${code.toString(16)}}$`);
      const forms = new Set([code, ...orbit, ...casings(code)]);
      for (const form of forms) if (folded.test(String.fromCodePoint(form)) !== orbit.includes(form)) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });
});

function casings(code: number): number[] {
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase(), char.toUpperCase().toLowerCase()]
    .filter((form) => Array.from(form).length === 1)
    .map((form) => form.codePointAt(0) ?? code);
}
