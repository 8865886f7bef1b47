import { UcpError } from '../../core/errors.ts';
import { MAX_VARIANTS } from './limits.ts';
import { parseClass } from './parse-class.ts';
import type { Token } from './tokens.ts';

type Raw =
  | Token
  | { readonly kind: 'open'; readonly type: string }
  | { readonly kind: 'bar' }
  | { readonly kind: 'close' };

/**
 * Reads one segment. `@(a|b)` and `?(a|b)` are written out, so that the result is every sequence of tokens that the
 * segment stands for; `+(…)` and `!(…)` stay as tokens, `*(…)` is nothing or `+(…)`.
 */
export function parseSegment(segment: string, glob: string): readonly (readonly Token[])[] {
  if (/^[?*+@]\(\)$/.test(segment)) refuse(glob, 'has an empty group; write literal parentheses as \\( and \\).');
  const raw = tokenize(segment, glob);
  return sequences(raw, pairs(raw), 0, raw.length, true, glob)[0] ?? [];
}

/** GLOB_INVALID: `glob` has a form that isn't matched; `why` says which and what to write. */
export function refuse(glob: string, why: string): never {
  throw new UcpError('GLOB_INVALID', `The glob ${JSON.stringify(glob)} ${why}`);
}

function literal(char: string): Token {
  return { kind: 'literal', char };
}

function tokenize(text: string, glob: string): readonly Raw[] {
  const raw: Raw[] = [];
  for (let at = 0; at < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (char === '\\') {
      const escaped = text.codePointAt(at + 1);
      const taken = escaped === undefined ? char : String.fromCodePoint(escaped);
      raw.push(literal(taken));
      at += 1 + taken.length;
      continue;
    }
    if (char === '[') {
      const found = parseClass(text, at);
      if (found === undefined) refuse(glob, 'has a "[" without its "]"; write a literal one as \\[.');
      if (found === 'unsupported') refuse(glob, 'has a POSIX class; write its characters as ranges, such as [a-z0-9].');
      if (found.token.ranges.length === 0) refuse(glob, 'has a class with nothing in it; write its ranges upwards.');
      raw.push(found.token);
      at = found.end;
      continue;
    }
    const opens = '!?+*@'.includes(char) && text[at + 1] === '(';
    raw.push(opens ? { kind: 'open', type: char } : single(char));
    at += opens ? 2 : char.length;
  }
  return raw;
}

function single(char: string): Raw {
  if (char === '|') return { kind: 'bar' };
  if (char === ')') return { kind: 'close' };
  if (char === '*') return { kind: 'star' };
  return char === '?' ? { kind: 'any' } : literal(char);
}

/** The index of the `)` of each `(` that has one. */
function pairs(raw: readonly Raw[]): ReadonlyMap<number, number> {
  const closed = new Map<number, number>();
  const open: number[] = [];
  for (const [index, token] of raw.entries()) {
    if (token.kind === 'open') open.push(index);
    const from = token.kind === 'close' ? open.pop() : undefined;
    if (from !== undefined) closed.set(from, index);
  }
  return closed;
}

type Sequences = readonly (readonly Token[])[];

/** For each alternative between `begin` and `end`, the sequences that it stands for. */
function sequences(
  raw: readonly Raw[],
  closed: ReadonlyMap<number, number>,
  begin: number,
  end: number,
  top: boolean,
  glob: string,
): readonly Sequences[] {
  const alternatives: Sequences[] = [];
  let current: Sequences = [[]];
  for (let index = begin; index < end; index++) {
    const token = raw[index];
    if (token === undefined) break;
    const close = closed.get(index);
    if (token.kind === 'bar' && !top) {
      alternatives.push(current);
      current = [[]];
    } else if (token.kind === 'open' && close !== undefined) {
      const inner = sequences(raw, closed, index + 1, close, false, glob).flat();
      current = product(current, group(token.type, inner, glob), glob);
      index = close;
    } else current = product(current, [plain(token)], glob);
  }
  return [...alternatives, current];
}

/** A token outside of any group: what could have been an operator is literal there. */
function plain(token: Raw): readonly Token[] {
  if (token.kind === 'open') return [literal(token.type), literal('(')];
  if (token.kind === 'bar') return [literal('|')];
  if (token.kind === 'close') return [literal(')')];
  return [token];
}

function product(left: Sequences, right: Sequences, glob: string): Sequences {
  if (left.length * right.length > MAX_VARIANTS) {
    refuse(glob, `stands for more than ${MAX_VARIANTS} patterns; write several shorter globs.`);
  }
  return left.flatMap((before) => right.map((after) => [...before, ...after]));
}

function group(type: string, inner: Sequences, glob: string): Sequences {
  if (inner.some((tokens) => tokens.some(({ kind }) => kind === 'repeat' || kind === 'not'))) {
    refuse(glob, 'has a +(…), *(…) or !(…) inside another group; write it out.');
  }
  if (type === '@') return inner;
  if (type === '?') return [[], ...inner];
  if (type === '!') return [[{ kind: 'not', alternatives: inner }]];
  const filled = inner.filter((tokens) => tokens.length > 0);
  const empty: Sequences = type === '*' || filled.length < inner.length ? [[]] : [];
  if (filled.length === 0) return [[]];
  return [...empty, [{ kind: 'repeat', alternatives: filled }]];
}
