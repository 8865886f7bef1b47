import { classBody, escapeText, normalise, overlap, setOf } from './char-set.ts';
import { refuse } from './parse-segment.ts';
import { literalText, type Token } from './tokens.ts';

/** The end of the text, in every engine: `$` also matches before a last newline in PCRE2 and Python. */
export const END = '(?![\\s\\S])';
/** Where a segment ends. */
const EDGE = `(?=/|${END})`;
/** A segment that is `.` or `..`: only literal dots match it. */
export const NOT_DOTS = `(?!\\.\\.?(?:/|${END}))`;

type Group = Extract<Token, { alternatives: unknown }>;

/**
 * Regex source for one segment, which a slash or the end must follow. No part can be matched in two ways, or stands in
 * a look-ahead, so that an engine that backtracks takes linear time (quadratic in the segment for `+(…)` and `!(…)`).
 */
export function segmentSource(tokens: readonly Token[], glob: string): string {
  const text = literalText(tokens);
  if (text !== undefined) return escapeText(text);
  const guard = mayBeDots(tokens[0]) ? NOT_DOTS : '';
  const at = tokens.findIndex(isGroup);
  const group = tokens[at];
  if (group === undefined || !isGroup(group)) {
    return tokens.every(({ kind }) => kind === 'star') ? `${guard}[^/]+` : guard + linear(tokens);
  }
  const [before, after] = [tokens.slice(0, at), tokens.slice(at + 1)];
  if (after.some(isGroup)) refuse(glob, 'has two groups +(…), *(…) or !(…) in one path segment; one is the limit.');
  const inner = group.kind === 'not' ? not(before, group, after, glob) : repeat(before, group, after, glob);
  return `${guard}(?=${inner})[^/]+`;
}

function isGroup(token: Token): token is Group {
  return token.kind === 'repeat' || token.kind === 'not';
}

function mayBeDots(first: Token | undefined): boolean {
  return first?.kind !== 'literal' || first.char === '.';
}

function hasStar(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind }) => kind === 'star');
}

/** Tokens for one character each. */
function atoms(tokens: readonly Token[]): string {
  return tokens.map(atom).join('');
}

function atom(token: Token): string {
  if (token.kind === 'literal') return escapeText(token.char);
  if (token.kind !== 'class') return '[^/]';
  const body = classBody(normalise(token.ranges));
  if (token.negated) return `[^/${body}]`;
  return body === '' ? '(?!)' : `[${body}]`;
}

/** The runs of tokens between stars; the first stands before the first star, the last after the last one. */
function runs(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const found: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'star') found.push([]);
    else found.at(-1)?.push(token);
  }
  return found.filter((run, index) => run.length > 0 || index === 0 || index === found.length - 1);
}

/**
 * A sequence of tokens with stars. A run between two stars may always take its first occurrence: the loop before it
 * stops there and nowhere else, so there is nothing to try again. `free` leaves the last star able to go on.
 */
function linear(tokens: readonly Token[], free = false): string {
  const [first = [], ...rest] = runs(tokens);
  const last = rest.pop();
  const middle = rest.map((run) => `(?:(?!${atoms(run)})[^/])*${atoms(run)}`).join('');
  return atoms(first) + middle + (last === undefined ? '' : `[^/]*${free ? '?' : ''}${atoms(last)}`);
}

/** `before !(…) after`: some text between the two that is none of the alternatives. */
function not(before: readonly Token[], group: Group, after: readonly Token[], glob: string): string {
  if (hasStar(after)) refuse(glob, 'has a * after !(…) in one path segment, which matches nearly everything.');
  if (hasStar(before) && group.alternatives.some(hasStar)) {
    refuse(glob, 'has a * both before and inside !(…); only one of them can be matched in bounded time.');
  }
  if (/^\.{1,2}$/.test(literalText([...before, ...after]) ?? '')) {
    refuse(glob, 'has only dots beside !(…) in one path segment; write the names out.');
  }
  const barred = group.alternatives.map((tokens) => linear([...tokens, ...after]) + EDGE);
  const tail = `[^/]*${atoms(after)}${EDGE}`;
  return `${linear(before, true)}(?!${barred.join('|')})${tail}`;
}

/** `before +(…) after`, where each repetition can be read in one way only. */
function repeat(before: readonly Token[], group: Group, after: readonly Token[], glob: string): string {
  if (hasStar(before) && hasStar(after)) {
    refuse(glob, 'has a * on both sides of +(…) or *(…) in one path segment; only one can be matched in bounded time.');
  }
  if (group.alternatives.some(hasStar)) refuse(glob, 'has a * inside +(…) or *(…); write it out.');
  if (group.alternatives.some((tokens) => /^\.+$/.test(literalText(tokens) ?? ''))) {
    refuse(glob, 'repeats dots in +(…) or *(…); write them out.');
  }
  return `${linear(before, true)}(?:${alternatives(group, glob)})+${linear(after)}${EDGE}`;
}

function alternatives(group: Group, glob: string): string {
  const sets = group.alternatives.map((tokens) => tokens.map(setOf));
  if (sets.every((set) => set.length === 1)) return `[${classBody(normalise(sets.flat(2)))}]`;
  for (const [index, left] of sets.entries()) {
    const ambiguous = sets.slice(index + 1).some((right) => left.every((set, k) => overlap(set, right[k] ?? set)));
    if (ambiguous) refuse(glob, 'has alternatives in +(…) or *(…) of which one begins like another; make them differ.');
  }
  return group.alternatives.map(atoms).join('|');
}
