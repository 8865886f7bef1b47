import { braceExpand } from 'minimatch';

import { MAX_LENGTH, MAX_VARIANTS } from './limits.ts';
import { parseSegment, refuse } from './parse-segment.ts';
import type { Segment, Token, Variant } from './tokens.ts';
import { variantSource } from './variant-source.ts';

/**
 * The patterns that a glob stands for, braces and alternatives written out. Throws GLOB_INVALID for what can't be
 * matched in linear time, or stands for more than 1,000 patterns.
 */
export function parseGlob(glob: string): readonly Variant[] {
  if (glob === '') refuse(glob, 'is empty; expected a pattern.');
  if (glob.length > MAX_LENGTH) refuse(glob.slice(0, 40), `… is longer than ${MAX_LENGTH} characters.`);
  if (/\p{Surrogate}/u.test(glob)) refuse(glob, 'has half of a surrogate pair; expected well-formed Unicode.');
  // One more than allowed tells that there are too many without making them all. Counted before equal ones are taken
  // together: what is cut off at the limit could have been different.
  const expanded = braceExpand(glob, { braceExpandMax: MAX_VARIANTS + 1 });
  if (expanded.length > MAX_VARIANTS) refuseCount(glob);
  const variants = [...new Set(expanded)].flatMap((pattern) => variantsOf(pattern, glob));
  if (variants.length > MAX_VARIANTS) refuseCount(glob);
  // Some forms are only refused when the source is written; a parsed glob is one that compiles.
  for (const variant of variants) variantSource(variant, glob);
  return variants;
}

function refuseCount(glob: string): never {
  return refuse(glob, `stands for more than ${MAX_VARIANTS} patterns; write several shorter globs.`);
}

function variantsOf(pattern: string, glob: string): readonly Variant[] {
  let variants: readonly Variant[] = [[]];
  for (const segment of resolved(pattern.split(/\/+/))) {
    const choices: readonly Segment[] = segment === '**' ? ['globstar'] : parseSegment(segment, glob);
    // A group that may be nothing can leave a segment empty: no path segment is, so that choice matches nothing.
    const possible = choices.filter((choice) => segment === '' || choice.length > 0);
    variants = variants.flatMap((before) => possible.map((choice) => [...before, choice]));
    if (variants.length > MAX_VARIANTS) refuseCount(glob);
  }
  return variants;
}

/** Takes `..` together with the segment before it, and `**` after `**`, out of a pattern, as minimatch does. */
function resolved(segments: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    const last = kept.at(-1);
    if (segment === '**' && last === '**') continue;
    const removable = last !== undefined && last !== '' && last !== '..' && last !== '.' && last !== '**';
    if (segment === '..' && removable) kept.pop();
    else kept.push(segment);
  }
  return kept.length === 0 ? [''] : kept;
}

/** True when every segment of `variant` is literal. */
export function isLiteral(variant: Variant): variant is readonly (readonly Token[])[] {
  return variant.every((segment) => segment !== 'globstar' && segment.every(({ kind }) => kind === 'literal'));
}
