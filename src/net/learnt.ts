import type { LearntElement } from './facts.ts';
import type { NetworkRuleSet } from './rules.ts';

/** Addresses of one sandbox that are remembered; the kernel forgets by their time alone. */
const REMEMBERED = 4_096;

export interface LearntEntry {
  readonly address: string;
  readonly rule: number;
  readonly name: string;
  /** Monotonic milliseconds. */
  readonly until: number;
}

/** The addresses that the names of one sandbox stood for, so that new rules take them over. */
export class LearntAddresses {
  readonly #entries = new Map<string, LearntEntry>();
  /** Those that the kernel has: only they spare another entering. */
  readonly #entered = new WeakSet<LearntEntry>();

  /** Takes an answer in; the newest is remembered longest. Times in monotonic milliseconds. */
  add(entry: LearntEntry): void {
    const key = `${entry.address} ${entry.rule}`;
    this.#entries.delete(key);
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size >= REMEMBERED && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, entry);
  }

  /** The kernel has it. */
  enter(entry: LearntEntry): void {
    this.#entered.add(entry);
  }

  /** Milliseconds that `address` is still let out to under `rule`, for certain. */
  left(address: string, rule: number, now: number): number {
    const entry = this.#entries.get(`${address} ${rule}`);
    return entry !== undefined && this.#entered.has(entry) ? Math.max(entry.until - now, 0) : 0;
  }

  /** What is still valid under `rules`. */
  valid(rules: NetworkRuleSet, now: number): readonly LearntElement[] {
    return [...this.#entries.values()]
      .filter(({ rule, until }) => until > now && rules.byId.has(rule))
      .map(({ address, rule, until }) => ({ address, rule, timeoutSeconds: Math.ceil((until - now) / 1000) }));
  }

  /** A name that stood for `address`, as it was asked last; also after its time. */
  nameOf(address: string): string | undefined {
    return [...this.#entries.values()].findLast((entry) => entry.address === address)?.name;
  }

  /** The rules under which `address` was let out to, also after its time: connections outlive an answer. */
  rulesOf(address: string): readonly number[] {
    return [...this.#entries.values()].filter((entry) => entry.address === address).map(({ rule }) => rule);
  }
}
