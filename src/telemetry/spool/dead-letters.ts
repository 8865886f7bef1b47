import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { StoredEvent } from '../event/stored-event.ts';

/** The file's bound, bytes; one older file of the same size is kept. */
const MAX_FILE = 1024 * 1024;

/** Keeps events that the receiver will never take, for the operator to look at: one JSON object per line. */
export class DeadLetters {
  readonly #path: string;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  add(event: StoredEvent, reason: string): void {
    const line = `${JSON.stringify({ reason, event })}\n`;
    // Counter and event tell of it as well, and the local log has it: this copy is a convenience that may fail.
    this.#last = this.#last.then(() => this.#append(line)).catch(() => undefined);
  }

  async idle(): Promise<void> {
    await this.#last;
  }

  async #append(line: string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const size = await stat(this.#path).then(
      (found) => found.size,
      () => 0,
    );
    if (size + line.length > MAX_FILE) await rename(this.#path, `${this.#path}.old`).catch(() => undefined);
    await appendFile(this.#path, line, { mode: 0o600 });
  }
}
