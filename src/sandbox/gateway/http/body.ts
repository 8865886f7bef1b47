import type { Readable } from 'node:stream';

import { MAX_MESSAGE } from '../lines.ts';

/** Bytes that all messages together may take that are held at one time. */
const MAX_HELD = 2 * MAX_MESSAGE;

/** Room for messages that are held until they can be judged. */
export class Budget {
  #left = MAX_HELD;

  /** Takes `bytes`; false when there is no room. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** A body that was read; its room is given back when it is disposed of. */
interface Body extends Disposable {
  readonly bytes: Buffer;
  /** False: it is longer than a message may be, or there was no room for it; the rest is still in the stream. */
  readonly whole: boolean;
}

/** Reads a body to its end, or as far as it can be held. Rejects when the stream breaks. */
export async function readBody(stream: Readable, budget: Budget): Promise<Body> {
  const chunks: Buffer[] = [];
  let [length, taken, whole] = [0, 0, true];
  const release = (): void => {
    budget.give(taken);
    taken = 0;
  };
  const iterator: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of iterator) {
      chunks.push(chunk);
      length += chunk.length;
      whole = length <= MAX_MESSAGE && budget.take(chunk.length);
      if (!whole) break;
      taken += chunk.length;
    }
  } catch (error) {
    release();
    throw error;
  }
  const [only] = chunks;
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
  return { bytes, whole, [Symbol.dispose]: release };
}
