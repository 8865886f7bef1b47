import { BEGIN_LINE, BEGIN_TEXT, END_LINE, END_TEXT, NO_WORD_BOUNDARY, WORD_BOUNDARY } from './program.ts';

/** What stands beside a place in a text, as far as conditions can see it. */
export const EDGE = 0;
const NEWLINE = 1;
const WORD = 2;
const OTHER = 3;

/** The kind of a code point; −1 is the edge of the text. */
export function kindOf(codePoint: number): number {
  if (codePoint < 0) return EDGE;
  if (codePoint === 10) return NEWLINE;
  const word =
    (codePoint >= 97 && codePoint <= 122) ||
    (codePoint >= 65 && codePoint <= 90) ||
    (codePoint >= 48 && codePoint <= 57) ||
    codePoint === 95;
  return word ? WORD : OTHER;
}

/** The conditions that hold between a code point of kind `before` and one of kind `after`. */
export function conditions(before: number, after: number): number {
  let flags = (before === WORD) === (after === WORD) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
  if (before === EDGE) flags |= BEGIN_TEXT | BEGIN_LINE;
  else if (before === NEWLINE) flags |= BEGIN_LINE;
  if (after === EDGE) flags |= END_TEXT | END_LINE;
  else if (after === NEWLINE) flags |= END_LINE;
  return flags;
}

/** True when `codePoint` is in a sorted flat list of inclusive ranges. */
export function inRanges(ranges: readonly number[], codePoint: number): boolean {
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codePoint > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length >> 1 && codePoint >= (ranges[2 * low] ?? 0);
}
