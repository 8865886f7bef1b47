/** Digits of the count in an id; 36 to this power are more events than a program lives to see. */
const DIGITS = 8;

/**
 * Ids of events, all of one length: unique across processes and threads, made without loading a crypto library into the
 * program.
 */
export class EventIds {
  readonly #prefix: string;
  #count = 0;

  constructor(pid: number) {
    const seed = Math.floor(Math.random() * 2 ** 48).toString(36);
    this.#prefix = `${Date.now().toString(36)}-${pid.toString(36)}-${seed}-`;
  }

  next(): string {
    return this.#id(this.nextCount());
  }

  /** The first id: what other ids are made of, in place. */
  get first(): string {
    return this.#id(0);
  }

  /** The next id by its count alone, which {@link putDigits} writes over the end of {@link first}. */
  nextCount(): number {
    return this.#count++;
  }

  #id(count: number): string {
    return this.#prefix + count.toString(36).padStart(DIGITS, '0');
  }
}

/** Writes the digits of `value`, an integer that is not negative, so that they end before `end`; what stands before them stays. */
export function putDigits(bytes: Uint8Array, end: number, value: number, base: 10 | 36): void {
  let rest = value;
  let at = end;
  do {
    const next = Math.floor(rest / base);
    const digit = rest - next * base;
    bytes[--at] = digit < 10 ? 48 + digit : 87 + digit;
    rest = next;
  } while (rest > 0);
}
