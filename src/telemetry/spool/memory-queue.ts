import type { SpoolRecord } from './frame.ts';

/** A first-in-first-out queue of events that are not on disk (yet); shifting is cheap however long it is. */
export class MemoryQueue {
  #items: SpoolRecord[] = [];
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
    for (let k = 0; k < count; k++) this.bytes -= this.#items[this.#head + k]?.bytes ?? 0;
    this.#head += count;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Removes the oldest behind the first `kept`, until `bytes` are gained; returns what went. */
  evict(kept: number, bytes: number): readonly SpoolRecord[] {
    const from = this.#head + kept;
    let [count, gained] = [0, 0];
    while (gained < bytes && from + count < this.#items.length) gained += this.#items[from + count++]?.bytes ?? 0;
    const gone = this.#items.splice(from, count);
    this.bytes -= gained;
    return gone;
  }
}
