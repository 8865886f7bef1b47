import type { Clock } from '../../core/ports.ts';

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { readonly at: number; readonly fn: () => void }[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.#now + ms, fn };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** Milliseconds until the next timer; undefined where there is none. */
  get next(): number | undefined {
    const at = Math.min(...this.#timers.map((timer) => timer.at));
    return Number.isFinite(at) ? at - this.#now : undefined;
  }

  /** Moves on by `ms`; what is due runs in the order of its time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.fn();
    }
    this.#now = end;
  }
}
