import { refuse } from './parse-segment.ts';
import { END, NOT_DOTS, segmentSource } from './segment-source.ts';
import { literalText, type Segment, type Variant } from './tokens.ts';

/** One segment that `**` walks over, with its slash. */
const WALK = `${NOT_DOTS}[^/]*/`;

/**
 * Regex source for one variant of a glob, to be anchored at the begin; it ends at the end of the text. A path may have
 * one slash more at its end than the pattern, as in minimatch.
 */
export function variantSource(variant: Variant, glob: string): string {
  const first = variant.indexOf('globstar');
  if (first < 0) return whole(variant, glob);
  const last = variant.lastIndexOf('globstar');
  const head = slashed(variant.slice(0, first), glob);
  const found = sections(variant.slice(first + 1, last));
  if (found.filter((section) => section.some(isDots)).length > 1) {
    refuse(glob, 'has "." or ".." between "**" more than once; canonical paths have neither, take them out.');
  }
  const body = found.map((section) => {
    const source = slashed(section, glob);
    // Dots that a rule names can't be walked over, so the first place is not always the right one.
    return section.some(isDots) ? `(?:${WALK})*?${source}` : `(?:(?!${source})${WALK})*${source}`;
  });
  const tail = variant.slice(last + 1);
  const end = tail.length === 0 ? `(?:${WALK})*${NOT_DOTS}[^/]*${END}` : `(?:${WALK})*${whole(tail, glob)}`;
  return head + body.join('') + end;
}

function isDots(segment: Segment): boolean {
  const text = segment === 'globstar' ? undefined : literalText(segment);
  return text === '.' || text === '..';
}

function source(segment: Segment, glob: string): string {
  return segment === 'globstar' ? '' : segmentSource(segment, glob);
}

function slashed(segments: Variant, glob: string): string {
  return segments.map((segment) => `${source(segment, glob)}/`).join('');
}

/** Segments to the end of the path. */
function whole(segments: Variant, glob: string): string {
  const text = segments.map((segment) => source(segment, glob)).join('/');
  return segments.at(-1)?.length === 0 ? text + END : `${text}/?${END}`;
}

/** The segments between two `**`, in groups: each group is found at its first place after the one before it. */
function sections(segments: Variant): readonly Variant[] {
  const found: Segment[][] = [[]];
  for (const segment of segments) {
    if (segment === 'globstar') found.push([]);
    else found.at(-1)?.push(segment);
  }
  return found.filter((section) => section.length > 0);
}
