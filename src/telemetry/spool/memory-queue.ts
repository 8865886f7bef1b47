import type { SpoolRecord } from './frame.ts';

/** A first-in-first-out queue of events that are not on disk (yet); each operation is cheap however long it is. */
export class MemoryQueue {
  /** Slots before the head are empty: what has left the queue is not kept alive by it. */
  #items: (SpoolRecord | undefined)[] = [];
  #head = 0;
  /** UTF-8 bytes of all events in it. */
  bytes = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(record: SpoolRecord): void {
    this.#items.push(record);
    this.bytes += record.bytes;
  }

  /** Up to `maxRecords` from the front, and no more than `maxBytes` beyond the first; they stay in the queue. */
  peek(maxRecords: number, maxBytes: number): readonly SpoolRecord[] {
    const found: SpoolRecord[] = [];
    let bytes = 0;
    while (found.length < maxRecords) {
      const record = this.#items[this.#head + found.length];
      if (record === undefined || (found.length > 0 && bytes + record.bytes > maxBytes)) break;
      found.push(record);
      bytes += record.bytes;
    }
    return found;
  }

  /** Removes `count` from the front. */
  shift(count: number): void {
    this.#leave(this.#head, count);
    this.#advance(count);
  }

  /** Removes the oldest behind the first `kept`, until `bytes` are gained; returns what went. */
  evict(kept: number, bytes: number): readonly SpoolRecord[] {
    const from = this.#head + kept;
    let [count, gained] = [0, 0];
    while (gained < bytes && from + count < this.#items.length) gained += this.#items[from + count++]?.bytes ?? 0;
    const gone = this.#leave(from, count);
    if (gone.length === 0) return gone;
    // The few that are kept move up to the others, not all others down: a full queue evicts at every push.
    for (let at = from - 1; at >= this.#head; at--) {
      this.#items[at + count] = this.#items[at];
      this.#items[at] = undefined;
    }
    this.#advance(count);
    return gone;
  }

  /** Takes `count` from `from` on out of the figures, and empties their slots. */
  #leave(from: number, count: number): readonly SpoolRecord[] {
    const gone = this.#items.slice(from, from + count).filter((record) => record !== undefined);
    for (const { bytes } of gone) this.bytes -= bytes;
    this.#items.fill(undefined, from, from + count);
    return gone;
  }

  /** Moves the head; once half of the slots are empty, they go. */
  #advance(count: number): void {
    this.#head += count;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}
