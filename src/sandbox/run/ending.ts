import { UcpError } from '../../core/errors.ts';

/** How an attached run ended: the exit code, or an error of ours. */
export type Ending = { readonly exitCode: number } | { readonly error: UcpError };

/**
 * Decides when an attached run is over: its exit code is known and all its output has been taken. The code comes from
 * the control plane, which has it from init long before the engine says anything, or from the engine when the control
 * plane is gone.
 */
export class EndingJudge {
  readonly ending: Promise<Ending>;
  #settle: (ending: Ending) => void = () => undefined;
  #exitCode: number | undefined;
  #complete = false;

  constructor() {
    this.ending = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** The main process ended with this code. The first word counts. */
  exited(exitCode: number): void {
    this.#exitCode ??= exitCode;
    this.#check();
  }

  /** All output has been taken. */
  outputComplete(): void {
    this.#complete = true;
    this.#check();
  }

  /** The run is over at once, e.g. because it was refused or nobody reads its output. */
  over(ending: Ending): void {
    this.#settle(ending);
  }

  #check(): void {
    if (this.#exitCode !== undefined && this.#complete) this.#settle({ exitCode: this.#exitCode });
  }
}
