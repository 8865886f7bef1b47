import { UcpError } from '../../core/errors.ts';
import { escapeText } from './char-set.ts';
import { MAX_LIST_VARIANTS } from './limits.ts';
import { parseGlob } from './parse.ts';
import { refuse } from './parse-segment.ts';
import type { Variant } from './tokens.ts';
import { variantSource } from './variant-source.ts';

/**
 * Compiles globs to one anchored regex source that means the same to JavaScript (flag `u`), PCRE2 (UTF mode,
 * PCRE2_MATCH_INVALID_UTF for paths that may not be UTF-8) and Python's `re.match`: minimatch with `dot: true`, no
 * negation, no comments, for texts without doubled slashes. It matches in time linear in the text and the list. An
 * empty list matches nothing. Literal begins that globs share are written once. Throws GLOB_INVALID.
 */
export function globListSource(globs: readonly string[]): string {
  return `^(?:${merged(branchesOf(globs))})`;
}

/**
 * The same list as several sources, each of about `size` characters at most unless a single variant is longer: a text
 * is in the list when any of them matches. Engines bound the size of one regex (PCRE2 with its usual link size at
 * 64 KiB compiled, V8 at some MiB); nothing is ever left out to fit. An empty list has no sources.
 */
export function globListSources(globs: readonly string[], size = 16_384): readonly string[] {
  const chunks: Branch[][] = [];
  let length = size;
  for (const next of branchesOf(globs)) {
    length += next.text.length + next.rest.length;
    if (length > size) {
      chunks.push([]);
      length = next.text.length + next.rest.length;
    }
    chunks.at(-1)?.push(next);
  }
  return chunks.map((chunk) => `^(?:${merged(chunk)})`);
}

/** Every variant of the globs, in the order of the literal texts that they begin with. */
function branchesOf(globs: readonly string[]): readonly Branch[] {
  const branches = globs.flatMap((glob) => parseGlob(glob).map((variant) => branch(variant, glob)));
  if (branches.length > MAX_LIST_VARIANTS) {
    refuse(
      globs[0] ?? '',
      `and those beside it stand for ${branches.length} patterns; the limit of a list is ${MAX_LIST_VARIANTS}.`,
    );
  }
  return branches.toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
}

/** What is wrong with a glob, or undefined. */
export function globProblem(glob: string): string | undefined {
  try {
    globListSource([glob]);
    return undefined;
  } catch (error) {
    if (error instanceof UcpError) return error.message;
    throw error;
  }
}

/** A variant as the literal text that it begins with and the regex source that follows. */
interface Branch {
  readonly text: string;
  readonly rest: string;
}

function branch(variant: Variant, glob: string): Branch {
  // Checked as a whole first: what precedes a wildcard decides how its segment is guarded.
  const full = variantSource(variant, glob);
  let text = '';
  for (const [index, segment] of variant.entries()) {
    if (segment === 'globstar' || !segment.every(({ kind }) => kind === 'literal')) break;
    text += segment.map((token) => (token.kind === 'literal' ? token.char : '')).join('');
    if (index < variant.length - 1) text += '/';
  }
  return { text, rest: full.slice(escapeText(text).length) };
}

/** Alternatives in the order of their texts, common begins taken out; none match nothing. */
function merged(branches: readonly Branch[]): string {
  if (branches.length === 0) return '(?!)';
  const parts: string[] = [];
  for (let at = 0; at < branches.length;) {
    const first = branches[at];
    if (first === undefined) break;
    let end = at + 1;
    while (end < branches.length && sharedLength(first, branches[end]) > 0) end++;
    if (end === at + 1) parts.push(escapeText(first.text) + first.rest);
    else parts.push(group(branches.slice(at, end)));
    at = end;
  }
  return [...new Set(parts)].join('|');
}

/** Branches that all share a first character (or have no text left). */
function group(branches: readonly Branch[]): string {
  const [first] = branches;
  const length = Math.min(...branches.map((other) => (first === undefined ? 0 : sharedLength(first, other))));
  const shared = first?.text.slice(0, length) ?? '';
  return `${escapeText(shared)}(?:${merged(branches.map(({ text, rest }) => ({ text: text.slice(length), rest })))})`;
}

/** Length of the common begin, never in the middle of a surrogate pair. */
function sharedLength(left: Branch, right: Branch | undefined): number {
  if (right === undefined) return 0;
  const limit = Math.min(left.text.length, right.text.length);
  let length = 0;
  while (length < limit && left.text[length] === right.text[length]) length++;
  const unit = left.text.charCodeAt(length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? length - 1 : length;
}
