import { earlier } from './list.ts';
import { RadixTree } from './radix-tree.ts';

/** A rule with wildcards: what its matches begin and end with, and the test proper. */
export interface Wild {
  readonly index: number;
  readonly prefix: string;
  readonly suffix: string;
  readonly test: (text: string) => boolean;
}

/**
 * Rules with wildcards, found by the literal text that they begin or end with: a question tests only the rules whose
 * begin or end it has. Rules that have neither are tested one by one.
 */
export class Buckets {
  readonly #begins = new RadixTree<Wild>('begin');
  readonly #ends = new RadixTree<Wild>('end');

  constructor(rules: readonly Wild[]) {
    const crowd = new Map<string, number>();
    const keys = rules.map((rule) => [`^${rule.prefix}`, `$${rule.suffix}`] as const);
    for (const key of keys.flat()) crowd.set(key, (crowd.get(key) ?? 0) + 1);
    for (const [at, rule] of rules.entries()) {
      const [begin, end] = keys[at] ?? ['^', '$'];
      // The less crowded of the two; one that is empty says nothing.
      const size = (key: string): number => (key.length === 1 ? Number.POSITIVE_INFINITY : (crowd.get(key) ?? 0));
      if (size(begin) <= size(end)) this.#begins.put(rule.prefix, rule);
      else this.#ends.put(rule.suffix, rule);
    }
  }

  /** The first rule before `limit` (−1: any) that covers `text`, else `limit`. */
  find(text: string, limit: number): number {
    let best = limit;
    const visit = (rules: readonly Wild[]): void => {
      best = first(rules, text, best);
    };
    if (!this.#begins.empty) this.#begins.walk(text, visit);
    if (!this.#ends.empty) this.#ends.walk(text, visit);
    return best;
  }
}

/** Rules stand in the order of the list. */
function first(rules: readonly Wild[], text: string, limit: number): number {
  for (const { index, test } of rules) {
    if (limit >= 0 && index >= limit) return limit;
    if (test(text)) return earlier(limit, index);
  }
  return limit;
}
