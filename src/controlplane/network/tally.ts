import type { Clock } from '../../core/ports.ts';

/** How long things of one kind are counted before they are told of together, ms. */
const WINDOW = 1_000;
/** Kinds that are kept apart in one window; what is beyond is counted as one. */
const KINDS = 256;

/** Tells of the first thing of a kind at once, and of those like it once a second with how many there were. */
export class Tally<T> {
  readonly #clock: Clock;
  readonly #tell: (thing: T, count: number) => void;
  #counts = new Map<string, { readonly thing: T; count: number }>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, tell: (thing: T, count: number) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Counts `thing`, one of the kind `key`. */
  take(key: string, thing: T): void {
    const kind = this.#counts.has(key) || this.#counts.size < KINDS ? key : '';
    const known = this.#counts.get(kind);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.#counts.set(kind, { thing, count: 0 });
    this.#tell(thing, 1);
    this.#cancel ??= this.#clock.after(WINDOW, () => this.#turn());
  }

  /** Tells of what is counted and begins anew. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const counts = this.#counts;
    this.#counts = new Map();
    for (const { thing, count } of counts.values()) if (count > 0) this.#tell(thing, count);
  }

  #turn(): void {
    this.#cancel = undefined;
    this.flush();
  }
}
