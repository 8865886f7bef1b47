import { matcher, union } from '../regex/run-program.ts';
import { BUILTIN_SETS, type BuiltinSet } from '../schema/patterns.ts';
import { builtinPrograms } from './builtin.ts';

/** One labelled text of a corpus. Texts that look like live credentials are kept in base64. */
export interface Example {
  readonly label: 0 | 1;
  /** `held_out` was not looked at while the patterns were written. */
  readonly split: 'tune' | 'held_out';
  readonly text: string;
}

/** How a set does on examples. Precision and recall are shares of 1; both are 1 when there is nothing to divide by. */
export interface Quality {
  readonly positives: number;
  readonly negatives: number;
  readonly precision: number;
  readonly recall: number;
  readonly falseAlarms: readonly string[];
  readonly misses: readonly string[];
}

/** Reads a corpus: one JSON object per line. */
function parseCorpus(jsonl: string): readonly Example[] {
  return jsonl
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const row: Omit<Example, 'text'> & { text?: string; base64?: string } = JSON.parse(line);
      return {
        label: row.label,
        split: row.split,
        text: row.text ?? Buffer.from(row.base64 ?? '', 'base64').toString(),
      };
    });
}

/** Measures one set. */
export function quality(set: BuiltinSet, examples: readonly Example[]): Quality {
  const program = matcher(union(builtinPrograms(set).map((pattern) => pattern.program)));
  const [positives, negatives] = [
    examples.filter(({ label }) => label === 1),
    examples.filter(({ label }) => label === 0),
  ];
  const misses = positives.filter(({ text }) => !program.test(text));
  const falseAlarms = negatives.filter(({ text }) => program.test(text));
  const found = positives.length - misses.length;
  return {
    positives: positives.length,
    negatives: negatives.length,
    precision: share(found, found + falseAlarms.length),
    recall: share(found, positives.length),
    falseAlarms: falseAlarms.map(({ text }) => text),
    misses: misses.map(({ text }) => text),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/** Every set with its corpus, by `read`. */
export function corpora(read: (set: BuiltinSet) => string): ReadonlyMap<BuiltinSet, readonly Example[]> {
  return new Map(BUILTIN_SETS.map((set) => [set, parseCorpus(read(set))]));
}
