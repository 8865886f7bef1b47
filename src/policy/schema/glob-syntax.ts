import { UcpError } from '../../core/errors.ts';
import { MAX_LENGTH, MAX_LIST_VARIANTS } from '../glob/limits.ts';
import { parseGlob } from '../glob/parse.ts';

/** Globs of these characters need no parser to be known as well-formed; nearly all are of them. */
const ORDINARY = /^[A-Za-z0-9_./*?-]+$/;

/** Patterns that a glob stands for (braces written out), or what is wrong with it. */
function variants(glob: string): number | string {
  if (glob.length <= MAX_LENGTH && ORDINARY.test(glob)) return 1;
  try {
    return parseGlob(glob).length;
  } catch (error) {
    if (error instanceof UcpError) return error.message;
    throw error;
  }
}

/** What is wrong with a glob, or undefined. */
export function globProblem(glob: string): string | undefined {
  const found = variants(glob);
  return typeof found === 'string' ? found : undefined;
}

/** What is wrong with a list of globs as a whole, or undefined. */
export function listProblem(globs: readonly string[]): string | undefined {
  let sum = 0;
  for (const glob of globs) sum += Number(variants(glob)) || 0;
  if (sum <= MAX_LIST_VARIANTS) return undefined;
  return `expected globs that stand for at most ${MAX_LIST_VARIANTS} patterns, got ${sum}`;
}
