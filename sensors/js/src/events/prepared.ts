import { putDigits } from './ids.ts';
import type { Chunk } from './chunk.ts';

/** The first time of 13 digits, of September 2001; they last until 2286. A clock that is set before it stands still here. */
const FIRST_TIME = 1_000_000_000_000;

/**
 * Lines that are alike but for id, time and the end of their body, encoded once: what a call costs is mostly what its event
 * costs.
 */
export class PreparedLine {
  readonly #bytes: Buffer;
  readonly #idEnd: number;
  readonly #timeEnd: number;
  #time = FIRST_TIME;

  /** `id`: the first one, whose count is written over. `rest`: all that follows the time, up to the open end of the body. */
  constructor(id: string, rest: string) {
    const head = `{"v":1,"id":"${id}`;
    const time = `","time":${FIRST_TIME}`;
    this.#idEnd = head.length;
    this.#timeEnd = head.length + time.length;
    this.#bytes = Buffer.from(`${head}${time},${rest}`, 'utf8');
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Puts the line up to the open end of its body. `count`: of its id. */
  put(chunk: Chunk, count: number, time: number): void {
    putDigits(this.#bytes, this.#idEnd, count, 36);
    if (time !== this.#time && time >= FIRST_TIME) {
      putDigits(this.#bytes, this.#timeEnd, time, 10);
      this.#time = time;
    }
    chunk.put(this.#bytes);
  }
}
