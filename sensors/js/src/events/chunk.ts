import { putDigits } from './ids.ts';

/** Bytes of the longest decimal of {@link Chunk.putNumber}. */
export const LONGEST_NUMBER = 16;

/** Whole lines that wait together, as bytes, all of them violations or none of them. */
export class Chunk {
  readonly critical: boolean;
  #bytes: Buffer;
  #length = 0;
  #lines = 0;

  constructor(bytes: Buffer, critical: boolean) {
    this.#bytes = bytes;
    this.critical = critical;
  }

  get length(): number {
    return this.#length;
  }

  get lines(): number {
    return this.#lines;
  }

  /** What has been put here: a view, good until the next line is put. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The memory behind it. */
  get memory(): Buffer {
    return this.#bytes;
  }

  fits(length: number): boolean {
    return this.#length + length <= this.#bytes.length;
  }

  /** Puts a piece of a line. */
  put(piece: Uint8Array): void {
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** Puts an integer that is not negative. */
  putNumber(value: number): void {
    let end = this.#length + 1;
    for (let rest = value; rest >= 10 && end < this.#length + LONGEST_NUMBER; rest /= 10) end += 1;
    putDigits(this.#bytes, end, value, 10);
    this.#length = end;
  }

  /** The line that was put is whole. */
  endLine(): void {
    this.#lines += 1;
  }

  /** No line follows: gives back memory that was kept for more. */
  seal(): void {
    if (this.#length < this.#bytes.length / 2) this.#bytes = Buffer.from(this.bytes);
  }
}
