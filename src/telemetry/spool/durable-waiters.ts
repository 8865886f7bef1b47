/** Those who wait until a critical event is on disk. */
export class DurableWaiters {
  #pushed = 0;
  #stored = 0;
  #waiting: { readonly seq: number; readonly done: (durable: boolean) => void }[] = [];

  /** An event with this number is in memory. */
  pushed(seq: number): void {
    this.#pushed = seq;
  }

  /** Events up to this number are on disk. */
  stored(seq: number): void {
    this.#stored = Math.max(this.#stored, seq);
    this.#waiting = this.#waiting.filter(({ seq: wanted, done }) => {
      if (wanted <= this.#stored) done(true);
      return wanted > this.#stored;
    });
  }

  /** The disk can't be written: nobody waits for it. */
  fail(): void {
    for (const { done } of this.#waiting.splice(0)) done(false);
  }

  /** Resolves when what was pushed so far is on disk; false at once where the disk is `failing`. */
  async wait(failing: boolean): Promise<boolean> {
    if (this.#stored >= this.#pushed) return true;
    if (failing) return false;
    return new Promise((done) => this.#waiting.push({ seq: this.#pushed, done }));
  }
}
