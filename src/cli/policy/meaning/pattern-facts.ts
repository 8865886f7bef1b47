import type { Patterns } from '../../../policy/index.ts';
import type { Fact } from './fact.ts';

/** The facts of a section of patterns; `where` is the text that they look into. */
export function patternFacts(pointer: string, patterns: Patterns | undefined, where: string): Fact[] {
  const kind = patterns?.action === 'redact' ? 'redacts' : 'denies';
  const own = (patterns?.deny ?? []).map(({ name, regex }, index): Fact => ({
    kind,
    subject: `${where} that match ${JSON.stringify(name)} (${regex})`,
    pointer: `${pointer}/deny/${index}`,
  }));
  const builtin = (patterns?.builtin ?? []).map((set, index): Fact => ({
    kind,
    subject: `${where} that match the built-in set ${set}`,
    pointer: `${pointer}/builtin/${index}`,
  }));
  return [...own, ...builtin];
}
