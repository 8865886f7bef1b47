import type { Clock } from '../../core/ports.ts';

/** A wait that can be cut short. One waiter. */
export class Pause {
  readonly #clock: Clock;
  #end: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or when `end` is called; without `ms` only then. */
  wait(ms?: number): Promise<void> {
    return new Promise((done) => {
      const cancel = ms === undefined ? undefined : this.#clock.after(ms, () => this.end());
      this.#end = () => {
        this.#end = undefined;
        cancel?.();
        done();
      };
    });
  }

  end(): void {
    this.#end?.();
  }
}
