/** Requests that may wait on one transport; beyond it the oldest is forgotten. */
const MAX = 4096;

/**
 * The SDKs correlate by `Number(id)`, so `"1"` answers 1: a stricter comparison would let a server's answer past the
 * sensor. What isn't a number is compared as text.
 */
function keyOf(id: string | number): string | number {
  const number = Number(id);
  return Number.isNaN(number) ? `s:${id}` : number;
}

/**
 * Requests by id. An id that is used twice at once (a hostile client can) keeps both: the answers then get the
 * treatment of either. Most conversations have one request under way: it is kept beside the map, whose every entry and
 * removal costs more than all that is decided about a call.
 */
export class PendingRequests<Pending> {
  readonly #byId = new Map<string | number, { waiting: Pending[]; answered: number }>();
  #onlyKey: string | number | undefined;
  #only: readonly [Pending] | undefined;

  add(id: string | number, pending: Pending): void {
    const key = keyOf(id);
    if (this.#only === undefined && this.#byId.size === 0) {
      this.#onlyKey = key;
      this.#only = [pending];
      return;
    }
    this.#spill();
    this.#put(key, pending);
  }

  /** What an answer with this id may belong to; one entry unless the id was used twice. */
  answer(id: string | number): readonly Pending[] {
    const key = keyOf(id);
    const only = this.#only;
    if (only !== undefined) {
      if (key !== this.#onlyKey) return [];
      this.#only = undefined;
      return only;
    }
    const entry = this.#byId.get(key);
    if (entry === undefined) return [];
    entry.answered += 1;
    if (entry.answered >= entry.waiting.length) this.#byId.delete(key);
    return entry.waiting;
  }

  /** Hands over what still waits. */
  moveTo(other: PendingRequests<Pending>): void {
    this.#spill();
    for (const [key, { waiting }] of this.#byId) {
      const id = typeof key === 'string' ? key.slice(2) : key;
      for (const pending of waiting) other.add(id, pending);
    }
    this.#byId.clear();
  }

  /** What still waits, which is forgotten here. */
  drain(): readonly Pending[] {
    this.#spill();
    const all = [...this.#byId.values()].flatMap(({ waiting }) => waiting);
    this.#byId.clear();
    return all;
  }

  get size(): number {
    return this.#byId.size + (this.#only === undefined ? 0 : 1);
  }

  #spill(): void {
    if (this.#only === undefined || this.#onlyKey === undefined) return;
    const [pending] = this.#only;
    this.#only = undefined;
    this.#put(this.#onlyKey, pending);
  }

  #put(key: string | number, pending: Pending): void {
    const entry = this.#byId.get(key);
    if (entry === undefined) this.#byId.set(key, { waiting: [pending], answered: 0 });
    else entry.waiting.push(pending);
    if (this.#byId.size > MAX) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const key of this.#byId.keys()) {
      this.#byId.delete(key);
      return;
    }
  }
}
