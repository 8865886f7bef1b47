import type { Range, Token } from './tokens.ts';

const MAX_CODE_POINT = 0x10_ffff;
const SLASH = 47;

/** Sorts and joins ranges and takes the slash out: no path segment has one. */
export function normalise(ranges: readonly Range[]): readonly Range[] {
  const joined: [number, number][] = [];
  for (const [low, high] of ranges.flatMap(withoutSlash).toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last[1] + 1 && low !== SLASH + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

function withoutSlash([low, high]: Range): readonly Range[] {
  if (low > SLASH || high < SLASH) return [[low, high]];
  const parts: readonly Range[] = [
    [low, SLASH - 1],
    [SLASH + 1, high],
  ];
  return parts.filter(([from, to]) => from <= to);
}

/** The characters that a token for one character takes. */
export function setOf(token: Token): readonly Range[] {
  if (token.kind === 'literal') {
    const code = token.char.codePointAt(0) ?? 0;
    return [[code, code]];
  }
  if (token.kind !== 'class') return normalise([[0, MAX_CODE_POINT]]);
  return token.negated ? complement(normalise(token.ranges)) : normalise(token.ranges);
}

function complement(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = [];
  let next = 0;
  for (const [low, high] of ranges) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= MAX_CODE_POINT) gaps.push([next, MAX_CODE_POINT]);
  return normalise(gaps);
}

/** True when two sets have a character in common. */
export function overlap(left: readonly Range[], right: readonly Range[]): boolean {
  return left.some(([low, high]) => right.some(([from, to]) => low <= to && from <= high));
}

const SPECIAL = /[\\^$.*+?()[\]{}|/]/gu;

/** Text as regex source that JavaScript (flag `u`), PCRE2 and Python read the same. */
export function escapeText(text: string): string {
  return text.replaceAll(SPECIAL, '\\$&').replaceAll('\\/', '/');
}

function char(code: number): string {
  return String.fromCodePoint(code).replace(/[\\\]^[-]/u, '\\$&');
}

/** Ranges as the inside of a regex character class. */
export function classBody(ranges: readonly Range[]): string {
  return ranges.map(([low, high]) => (low === high ? char(low) : `${char(low)}-${char(high)}`)).join('');
}
