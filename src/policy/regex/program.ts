/**
 * A regular expression as data: RE2's instructions with submatches removed and case folding written out, so that a
 * simulator needs no tables and no parser. The same file is read by the JavaScript and the Python sensor.
 *
 * `code` is a flat list of instructions, three numbers each: `[op, out, arg]`; a program counter counts instructions,
 * so instruction `pc` is at `3 * pc`. Instruction 0 is FAIL.
 *
 * | op | name  | meaning |
 * |----|-------|---------|
 * | 0  | FAIL  | the thread dies |
 * | 1  | MATCH | the thread has matched up to here |
 * | 2  | ALT   | go on at `out`, and with lower priority at `arg` |
 * | 3  | EMPTY | go on at `out` if all the conditions in the bits of `arg` hold here, else die |
 * | 4  | CLASS | if the next code point is in `classes[arg]`: consume it and go on at `out`, else die |
 *
 * Conditions: 1 begin of line, 2 end of line, 4 begin of text, 8 end of text, 16 word boundary, 32 no word boundary.
 * A line ends before "\n" and at the end of the text; it begins after "\n" and at the begin of the text. A word
 * character is one of `[0-9A-Za-z_]`.
 *
 * Each class is a sorted flat list of inclusive ranges of code points: `[low, high, low, high, …]`. Text is a sequence
 * of code points; an unpaired surrogate is a code point of its own.
 *
 * Search is unanchored; matches are leftmost, and among those that start at the same place the one of highest priority
 * (first) wins, as in RE2, Perl and Python.
 */
export interface RegexProgram {
  readonly v: 1;
  /** Program counter of the first instruction. */
  readonly start: number;
  readonly code: readonly number[];
  readonly classes: readonly (readonly number[])[];
}

export const FAIL = 0;
export const MATCH = 1;
export const ALT = 2;
export const EMPTY = 3;
export const CLASS = 4;

export const BEGIN_LINE = 1;
export const END_LINE = 2;
export const BEGIN_TEXT = 4;
export const END_TEXT = 8;
export const WORD_BOUNDARY = 16;
export const NO_WORD_BOUNDARY = 32;

/** Half-open range of string indices: UTF-16 units in JavaScript, code points in Python. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
