import { Writable } from 'node:stream';

import { Redactor } from './redactor.ts';
import type { Secrets } from './read-secrets.ts';

/** How long the first few bytes of what may be a secret are held back, ms: a program may end its turn with them. */
const HOLD_MS = 40;
/** Of so many bytes that are a secret's beginning the rest is waited for. */
const TELLING = 4;

/** A stream before `target` that takes secrets out of what is written to it, at the pace of the target. */
export class RedactedStream extends Writable {
  readonly #target: Writable;
  readonly #redactor: Redactor;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: Writable, secrets: Secrets) {
    super();
    this.#target = target;
    this.#redactor = new Redactor(secrets.values());
    target.on('error', (error) => this.destroy(error));
    // Whoever writes may have gone before.
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    clearTimeout(this.#timer);
    const bytes = this.#redactor.push(chunk);
    const { held } = this.#redactor;
    if (held > 0 && held < TELLING) this.#timer = setTimeout(() => this.#release(), HOLD_MS).unref();
    if (bytes.length === 0 || this.#target.write(bytes)) done();
    else this.#target.once('drain', done);
  }

  /** Passes what was held back; resolves when all has left. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.destroyed || this.#target.destroyed) return;
    this.#release();
    await new Promise<void>((resolve) => {
      this.#target.once('error', () => resolve());
      this.#target.write('', () => resolve());
    });
  }

  #release(): void {
    const held = this.#redactor.release();
    if (held.length > 0 && !this.#target.destroyed) this.#target.write(held);
  }
}
