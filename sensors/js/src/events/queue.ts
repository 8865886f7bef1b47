/** Lines that wait for the socket: one violation, or observability that came together. */
interface Waiting {
  text: string;
  lines: number;
  readonly critical: boolean;
}

/** Length up to which observability is put together. */
const TOGETHER = 16 * 1024;

/** Bytes (UTF-16 units) that may wait; the program's memory is not ours to fill. */
const MAX_WAITING = 2 * 1024 * 1024;

/**
 * Lines in order, bounded. When full, observability makes room for violations; what is lost is counted and told with
 * the next line (invariant 4).
 */
export class LineQueue {
  #lines: Waiting[] = [];
  #size = 0;
  #lost = 0;
  readonly #max: number;

  constructor(max = MAX_WAITING) {
    this.#max = max;
  }

  get empty(): boolean {
    return this.#lines.length === 0;
  }

  /** Lost lines that no written line has told of yet. */
  get lost(): number {
    return this.#lost;
  }

  get size(): number {
    return this.#size;
  }

  push(text: string, critical: boolean): void {
    if (this.#size + text.length > this.#max && !this.#makeRoom(text.length, critical)) {
      this.#lost += 1;
      return;
    }
    this.#size += text.length;
    const last = this.#lines.at(-1);
    if (last === undefined || critical || last.critical || last.text.length > TOGETHER) {
      this.#lines.push({ text, lines: 1, critical });
    } else {
      last.text += text;
      last.lines += 1;
    }
  }

  /** The oldest entries as one text: at least one, else not more than `limit` long. They stay until {@link drop}. */
  peek(limit: number): { readonly text: string; readonly count: number } {
    let text = '';
    let count = 0;
    for (const line of this.#lines) {
      if (count > 0 && text.length + line.text.length > limit) break;
      text += line.text;
      count += 1;
    }
    return { text, count };
  }

  /** Forgets the oldest `count` entries: they are on their way. */
  drop(count: number): void {
    for (const line of this.#lines.splice(0, count)) this.#size -= line.text.length;
  }

  /** Counts lines that were lost after they had left the queue; less than none: of so many was told. */
  addLost(count: number): void {
    this.#lost += count;
  }

  /** Drops observability, oldest first, until `length` fits. */
  #makeRoom(length: number, critical: boolean): boolean {
    if (!critical || length > this.#max) return false;
    const kept: Waiting[] = [];
    for (const line of this.#lines) {
      if (!line.critical && this.#size + length > this.#max) {
        this.#size -= line.text.length;
        this.#lost += line.lines;
      } else kept.push(line);
    }
    this.#lines = kept;
    return this.#size + length <= this.#max;
  }
}
