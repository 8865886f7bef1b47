import type { Clock } from '../../core/ports.ts';
import { Rate } from './rate.ts';

/** Questions of one sandbox: far above what programs ask, far below what makes DNS a channel or a load. */
const BOUNDS = {
  /** All questions. */
  questions: { perSecond: 200, burst: 1000 },
  /** Names that were not asked before: the measure of a tunnel below a wildcard. */
  newNames: { perSecond: 5, burst: 500 },
  /** At the same time. */
  atOnce: 64,
  /** Names that are remembered as asked before. */
  remembered: 4096,
} as const;

/** Keeps the bounds of one sandbox. */
export class Bounds {
  readonly #questions: Rate;
  readonly #newNames: Rate;
  readonly #names = new Set<string>();
  #atOnce = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#questions = new Rate(clock, BOUNDS.questions);
    this.#newNames = new Rate(clock, BOUNDS.newNames);
  }

  /** Why one more question is too many, one sentence; undefined when it is not. */
  tooMany(): string | undefined {
    if (!this.#questions.take()) return 'The sandbox asks too many DNS questions.';
    return this.#atOnce >= BOUNDS.atOnce ? 'The sandbox asks too many DNS questions at once.' : undefined;
  }

  /** Why `name`, which is about to be asked upstream, is one too many; undefined when it is not. */
  tooManyNames(name: string): string | undefined {
    if (!this.#names.delete(name) && !this.#newNames.take()) return 'The sandbox asks for too many different names.';
    // The one longest unasked goes first.
    const [oldest] = this.#names;
    if (this.#names.size >= BOUNDS.remembered && oldest !== undefined) this.#names.delete(oldest);
    this.#names.add(name);
    return undefined;
  }

  /** Counts `work` among what goes on at the same time. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#atOnce += 1;
    try {
      return await work();
    } finally {
      this.#atOnce -= 1;
    }
  }
}
