import type { Clock } from '../../core/ports.ts';

/** A fact that others wait for. */
export class Latch {
  readonly #waiting = new Set<() => void>();
  #set = false;

  get isSet(): boolean {
    return this.#set;
  }

  set(): void {
    this.#set = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves when it is set. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#set) resolve();
      else this.#waiting.add(resolve);
    });
  }

  /** Resolves when it is set: true, or after `ms`: false. */
  async wait(clock: Clock, ms: number): Promise<boolean> {
    if (this.#set) return true;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      void this.settled().finally(() => {
        cancel();
        resolve();
      });
    });
    return this.#set;
  }
}
