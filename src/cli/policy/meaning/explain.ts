import type { Chapter, Fact } from './fact.ts';

const MODES: Readonly<Record<string, string>> = {
  off: 'is off',
  observe: 'observes: what is denied is let through and logged',
  enforce: 'enforces: what is denied is blocked and logged',
};

const VERBS = { allows: 'Allows', denies: 'Denies', redacts: 'Redacts' } as const;

/** A fact as a sentence. */
export function sentence({ kind, subject, value = '' }: Fact): string {
  if (kind === 'mode') return capital(`${subject} ${MODES[value] ?? value}.`);
  if (kind === 'setting') return capital(`${subject}: ${value}.`);
  return `${VERBS[kind]} ${subject}.`;
}

/** A policy in sentences, one chapter per sensor. */
export function explain(chapters: readonly Chapter[]): string {
  return chapters
    .map(({ title, facts }) => {
      const said = facts.length === 0 ? ['Says nothing.'] : facts.map(sentence);
      return [title, ...said.map((line) => `  ${line}`)].join('\n');
    })
    .join('\n\n');
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
