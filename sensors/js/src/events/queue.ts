import { Chunk } from './chunk.ts';

/** Bytes of lines that are put together. */
export const CHUNK = 16 * 1024;

/** Bytes that may wait; the program's memory is not ours to fill. */
const MAX_WAITING = 2 * 1024 * 1024;

/**
 * Lines in order, bounded. When full, observability makes room for violations; what is lost is counted and told with
 * the next line (invariant 4).
 */
export class LineQueue {
  #chunks: Chunk[] = [];
  /** Bytes of all chunks but the last, which lines are put to. */
  #sealed = 0;
  #lost = 0;
  /** Memory of chunks that have left: two come and go by turns. */
  readonly #spare: Buffer[] = [];
  readonly #max: number;

  constructor(max = MAX_WAITING) {
    this.#max = max;
  }

  get empty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Whether more waits than goes together. */
  get long(): boolean {
    return this.#chunks.length > 1;
  }

  /** Lost lines that no written line has told of yet. */
  get lost(): number {
    return this.#lost;
  }

  /** Whether there is room for a line of `length` bytes as it is. */
  fits(length: number): boolean {
    return this.#size + length <= this.#max;
  }

  /** Adds one line. */
  push(bytes: Buffer, critical: boolean): void {
    const chunk = this.room(bytes.length, critical);
    chunk?.put(bytes);
    chunk?.endLine();
  }

  /** Where a line of up to `length` bytes is to be put, at once; undefined when there is no room: the line is lost and counted. */
  room(length: number, critical: boolean): Chunk | undefined {
    if (!this.fits(length) && !this.#makeRoom(length, critical)) {
      this.#lost += 1;
      return undefined;
    }
    const open = this.#chunks.at(-1);
    return open?.critical === critical && open.fits(length) ? open : this.#begin(length, critical);
  }

  /** The oldest chunk's bytes. They stay until {@link drop}. */
  peek(): Buffer {
    return this.#chunks[0]?.bytes ?? Buffer.alloc(0);
  }

  /** Forgets the oldest chunk: it is on its way. */
  drop(): void {
    const first = this.#chunks.shift();
    if (first === undefined) return;
    if (this.#chunks.length > 0) this.#sealed -= first.length;
    if (first.memory.length === CHUNK && this.#spare.length < 2) this.#spare.push(first.memory);
  }

  /** Counts lines that were lost after they had left the queue; less than none: of so many was told. */
  addLost(count: number): void {
    this.#lost += count;
  }

  get #size(): number {
    return this.#sealed + (this.#chunks.at(-1)?.length ?? 0);
  }

  #begin(length: number, critical: boolean): Chunk {
    const last = this.#chunks.at(-1);
    last?.seal();
    this.#sealed += last?.length ?? 0;
    const spare = length > CHUNK ? undefined : this.#spare.pop();
    const memory = spare ?? Buffer.allocUnsafeSlow(Math.max(length, CHUNK));
    const chunk = new Chunk(memory, critical);
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Drops observability, oldest first, until `length` fits. */
  #makeRoom(length: number, critical: boolean): boolean {
    if (!critical || length > this.#max) return false;
    let size = this.#size;
    this.#chunks = this.#chunks.filter((chunk) => {
      if (chunk.critical || size + length <= this.#max) return true;
      size -= chunk.length;
      this.#lost += chunk.lines;
      return false;
    });
    this.#sealed = size - (this.#chunks.at(-1)?.length ?? 0);
    return size + length <= this.#max;
  }
}
