/** How long each phase of a run took, for `--timings`. */
export class Timings {
  readonly #marks: { readonly phase: string; readonly at: number }[] = [];
  readonly #now: () => number;

  /** `now` counts milliseconds from the start of the process. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The phase called `phase` ends now. */
  mark(phase: string): void {
    this.#marks.push({ phase, at: this.#now() });
  }

  /** One line a phase: milliseconds since the process began, since the phase before, name. */
  lines(): readonly string[] {
    return this.#marks.map(({ phase, at }, index) => {
      const since = at - (this.#marks[index - 1]?.at ?? 0);
      return `${at.toFixed(1).padStart(8)} ms  +${since.toFixed(1).padStart(6)}  ${phase}`;
    });
  }
}
