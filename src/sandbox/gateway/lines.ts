/** Longest message that is read, bytes; nobody can judge what nobody has read. */
export const MAX_MESSAGE = 64 * 1024 * 1024;

/** What comes out of a stream that is cut into lines. */
export interface LineListener {
  /** One line with its end, or the last one without. */
  line(bytes: Buffer): void;
  /** Part of a line that is too long; `first` once for each such line. The last part ends with the line's end. */
  tooLong(bytes: Buffer, first: boolean): void;
}

const LF = 10;

/** Cuts a stream into lines without joining what comes in one piece; a line in many pieces is joined once, at its end. */
export class LineCutter {
  readonly #on: LineListener;
  readonly #max: number;
  #parts: Buffer[] = [];
  #length = 0;
  #overflowing = false;

  constructor(on: LineListener, max = MAX_MESSAGE) {
    this.#on = on;
    this.#max = max;
  }

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      this.#finish(chunk.subarray(from, end + 1));
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** What was held of an unfinished line; it is forgotten here. */
  take(): Buffer {
    const held = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    this.#overflowing = false;
    return held;
  }

  /** The stream has ended. */
  end(): void {
    const last = this.take();
    if (last.length > 0) this.#on.line(last);
  }

  #finish(end: Buffer): void {
    if (!this.#overflowing && this.#length + end.length > this.#max) this.#keep(end);
    else if (this.#overflowing) this.#on.tooLong(end, false);
    else if (this.#length === 0) this.#on.line(end);
    else {
      this.#parts.push(end);
      this.#length += end.length;
      this.#on.line(this.take());
    }
    this.#overflowing = false;
  }

  #keep(part: Buffer): void {
    if (this.#overflowing) return this.#on.tooLong(part, false);
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#max) return;
    // Piece by piece: joining them would take as much memory again.
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    this.#overflowing = true;
    for (const [at, piece] of parts.entries()) this.#on.tooLong(piece, at === 0);
  }
}
