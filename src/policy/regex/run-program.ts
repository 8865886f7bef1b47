import { findSpans } from './find-spans.ts';
import { LazyDfa } from './lazy-dfa.ts';
import type { RegexProgram, Span } from './program.ts';

/** A program, ready to search. Keep one per program: it caches what it learns about texts. */
export interface ProgramMatcher {
  /** True when the program matches anywhere in `text`. Linear in its length; a few nanoseconds per character. */
  test(text: string): boolean;
  /** Every match that is not empty, leftmost first, without overlaps. */
  spans(text: string): readonly Span[];
}

/** Prepares a program. Free of dependencies: the JavaScript sensor bundles this. */
export function matcher(program: RegexProgram): ProgramMatcher {
  const dfa = new LazyDfa(program);
  return {
    test: (text) => dfa.test(text),
    // The automaton is an order of magnitude faster than following threads, and most texts match nothing.
    spans: (text) => (dfa.test(text) ? findSpans(program, text) : []),
  };
}

/** One program that matches where any of `programs` does: one pass over a text tells whether a closer look is needed. */
export function union(programs: readonly RegexProgram[]): RegexProgram {
  const code: number[] = [0, 0, 0];
  const classes: (readonly number[])[] = [];
  const starts: number[] = [];
  for (const program of programs) {
    const base = code.length / 3;
    const classBase = classes.length;
    for (let i = 0; i < program.code.length; i += 3) {
      const op = program.code[i] ?? 0;
      const out = program.code[i + 1] ?? 0;
      const arg = program.code[i + 2] ?? 0;
      code.push(op, op <= 1 ? 0 : out + base, op === 2 ? arg + base : op === 4 ? arg + classBase : arg);
    }
    classes.push(...program.classes);
    starts.push(program.start + base);
  }
  let start = 0;
  for (const next of starts.toReversed()) {
    code.push(2, next, start);
    start = code.length / 3 - 1;
  }
  return { v: 1, start, code, classes };
}
