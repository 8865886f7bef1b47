const LF = 10;

/** Cuts bytes into lines. A line in many pieces is joined once, at its end: joining at each piece would be quadratic. */
export class Lines {
  #parts: Buffer[] = [];

  /** The lines that `chunk` ends, each with its end. */
  push(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const last = chunk.subarray(from, end + 1);
      lines.push(this.#parts.length === 0 ? last : Buffer.concat([this.take(), last]));
      from = end + 1;
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
    return lines;
  }

  /** Whether the beginning of a line is held. */
  get holding(): boolean {
    return this.#parts.length > 0;
  }

  /** What is held; it is forgotten here. */
  take(): Buffer {
    const [first, ...others] = this.#parts;
    this.#parts = [];
    if (first === undefined) return Buffer.alloc(0);
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }
}

/** The first byte that is no white space. */
export function firstByte(chunk: Buffer): number | undefined {
  return chunk.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== LF && byte !== 0x0d);
}
