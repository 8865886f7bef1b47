import type { Range, Token } from './tokens.ts';

/** A character class, and where the text goes on after it. */
interface ParsedClass {
  readonly token: Extract<Token, { kind: 'class' }>;
  readonly end: number;
}

interface Member {
  readonly code: number;
  readonly end: number;
}

/**
 * Reads the character class that begins at `begin` (a `[`). Undefined: it isn't closed.
 * `unsupported`: it names a POSIX class, whose Unicode meaning not every engine has. A range that runs backwards
 * counts for nothing, as in minimatch; a class with nothing in it matches nothing.
 */
export function parseClass(text: string, begin: number): ParsedClass | 'unsupported' | undefined {
  const negated = text[begin + 1] === '!' || text[begin + 1] === '^';
  const ranges: Range[] = [];
  let at = begin + (negated ? 2 : 1);
  for (let first = true; at < text.length; first = false) {
    if (text[at] === ']' && !first) return { token: { kind: 'class', ranges, negated }, end: at + 1 };
    if (text.startsWith('[:', at)) return 'unsupported';
    const found = range(text, at);
    if (found === undefined) return undefined;
    at = found.end;
    if (found.low <= found.high) ranges.push([found.low, found.high]);
  }
  return undefined;
}

/** One character, or two with a `-` between them. */
function range(text: string, at: number): { low: number; high: number; end: number } | undefined {
  const low = member(text, at);
  if (low === undefined) return undefined;
  const isRange = text[low.end] === '-' && text[low.end + 1] !== ']';
  const high = isRange ? member(text, low.end + 1) : undefined;
  return { low: low.code, high: (high ?? low).code, end: (high ?? low).end };
}

function member(text: string, at: number): Member | undefined {
  const from = text[at] === '\\' ? at + 1 : at;
  const code = text.codePointAt(from);
  if (code === undefined) return undefined;
  return { code, end: from + (code > 0xffff ? 2 : 1) };
}
