import { writeAcks, type Acks } from './directory.ts';

/** Writes the newest acknowledgements, one write at a time; what comes during a write replaces what waits. */
export class AckWriter {
  readonly #dir: string;
  #waiting: Acks | undefined;
  #writing: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  save(acks: Acks): void {
    this.#waiting = acks;
    this.#writing ??= this.#write();
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting !== undefined) {
      const acks = this.#waiting;
      this.#waiting = undefined;
      // A failure costs duplicates after the next start, and the spool reports the failing disk itself.
      await writeAcks(this.#dir, acks).catch(() => undefined);
    }
    this.#writing = undefined;
  }
}
