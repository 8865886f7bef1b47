import type { Readable } from 'node:stream';

import { MAX_MESSAGE } from '../lines.ts';
import { brokenOff } from './carry.ts';

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
  let [length, taken] = [0, 0];
  const release = (): void => {
    budget.give(taken);
    taken = 0;
  };
  const whole = await new Promise<boolean>((resolve, reject) => {
    const broken = (error?: Error): void => {
      release();
      reject(error ?? brokenOff());
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= MAX_MESSAGE && budget.take(chunk.length)) taken += chunk.length;
      else finish(false);
    };
    const finish = (complete: boolean): void => {
      stream.off('data', take).off('error', broken).off('close', broken).pause();
      resolve(complete);
    };
    stream
      .on('data', take)
      .once('end', () => finish(true))
      .once('error', broken)
      .once('close', broken);
  });
  const [only] = chunks;
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
  return { bytes, whole, [Symbol.dispose]: release };
}
