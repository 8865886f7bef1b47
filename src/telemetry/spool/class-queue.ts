import type { EventClass } from '../../core/events.ts';
import { parseStored, type StoredEvent } from '../event/stored-event.ts';
import { framedBytes, HEADER_BYTES, type SpoolRecord } from './frame.ts';
import type { Losses, Lost } from './losses.ts';
import { MemoryQueue } from './memory-queue.ts';
import { Segment, type OpenFile } from './segment.ts';

const REPORT = '"export_gap"';

/** What a queue needs of the spool it is part of. */
export interface QueueHost {
  readonly boot: string;
  readonly segmentBytes: number;
  readonly openFile: OpenFile;
  /** Path and number of the next file. */
  nextFile(cls: EventClass): { readonly path: string; readonly number: number };
  readonly losses: Losses;
  /** The file is not needed any more. */
  retire(segment: Segment): Promise<void>;
}

/**
 * The events of one class, oldest first: segments on disk, then those in memory. One reader: what `take` returned is
 * pinned (never evicted) until it is settled or released. Settling counts from the front, wherever the front is.
 */
export class ClassQueue {
  readonly class: EventClass;
  readonly segments: Segment[] = [];
  readonly memory = new MemoryQueue();
  readonly #host: QueueHost;
  #active: Segment | undefined;
  /** Events out with the reader. */
  #pinned = 0;
  /** Events at the front of memory that are being written, and how many of those were settled meanwhile. */
  #writing = 0;
  #settledWhileWriting = 0;

  constructor(cls: EventClass, host: QueueHost) {
    this.class = cls;
    this.#host = host;
  }

  /** Events not settled yet. */
  get length(): number {
    return this.onDisk + this.memory.length - this.#settledWhileWriting;
  }

  get onDisk(): number {
    return this.segments.reduce((sum, segment) => sum + segment.left, 0);
  }

  get diskBytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  /** The oldest file that is not settled, and how much of it is. */
  get ack(): { readonly file: number; readonly settled: number } | undefined {
    const front = this.segments.find(({ left }) => left > 0);
    return front && { file: front.number, settled: front.settled };
  }

  /** Moves up to `maxBytes` from memory to disk. Throws what the file system says; nothing is lost then. */
  async store(maxBytes: number): Promise<readonly SpoolRecord[]> {
    const records = this.memory.peek(Number.POSITIVE_INFINITY, maxBytes);
    if (records.length === 0) return records;
    this.#writing = records.length;
    try {
      const segment = await this.#segmentFor(records);
      await segment.append(records, this.class === 'critical');
      // These three in one go: an event is in exactly one place whenever somebody settles.
      segment.commit(records);
      this.memory.shift(records.length);
      segment.settled += this.#settledWhileWriting;
    } catch (error) {
      await this.#active?.abort();
      this.#active = undefined;
      this.memory.shift(this.#settledWhileWriting);
      throw error;
    } finally {
      this.#writing = 0;
      this.#settledWhileWriting = 0;
    }
    return records;
  }

  /** Events from the front. Memory is read only with `fromMemory`: a healthy disk gets everything first. */
  async take(maxRecords: number, maxBytes: number, fromMemory: boolean): Promise<readonly StoredEvent[]> {
    await this.retireSettled();
    const segment = this.segments.find(({ left }) => left > 0);
    if (segment === undefined) return fromMemory ? this.#takeMemory(maxRecords, maxBytes) : [];
    // Pins the file before the first await.
    this.#pinned = 1;
    const events: StoredEvent[] = [];
    for (const found of await segment.read(maxRecords, maxBytes)) {
      if ('event' in found) events.push(found.event);
      else if (events.length > 0) break;
      else this.#damaged(segment, found.damaged);
    }
    this.#pinned = events.length;
    return events.length > 0 ? events : this.take(maxRecords, maxBytes, fromMemory);
  }

  /** The `count` oldest are done with: sent, refused for good, or lost. */
  settle(count: number): void {
    this.#pinned = Math.max(0, this.#pinned - count);
    for (let left = count; left > 0;) {
      const segment = this.segments.find((candidate) => candidate.left > 0);
      const here = Math.min(left, segment?.left ?? left);
      if (segment !== undefined) segment.settled += here;
      else if (this.#writing > 0) this.#settledWhileWriting += here;
      else this.memory.shift(here);
      left -= here;
    }
  }

  /** What was taken and not settled goes back to the front. */
  release(): void {
    this.#pinned = 0;
  }

  /** Gives up the oldest file that is not being sent; false where there is none. */
  async evictSegment(): Promise<boolean> {
    const index = this.segments.findIndex(({ left }, at) => left > 0 && !(at === this.#front() && this.#pinned > 0));
    const segment = this.segments[index];
    if (segment === undefined) return false;
    this.segments.splice(index, 1);
    if (segment === this.#active) this.#active = undefined;
    // Reports of earlier losses in a file that is given up are not lost with it.
    for (const event of await segment.find(REPORT)) this.#host.losses.restore(event);
    const { left, last, first, records } = segment;
    const from = left === records ? first : last - left + 1;
    this.#host.losses.add({
      class: this.class,
      boot: segment.header.boot,
      from,
      to: last,
      count: left,
      reason: 'spool_full',
    });
    await this.#host.retire(segment);
    return true;
  }

  /** Gives up the oldest events in memory that nobody holds, `bytes` of them; returns how many. */
  evictMemory(bytes: number, reason: Lost['reason']): number {
    const held = Math.max(this.#writing, this.#pinned - this.onDisk, 0);
    const gone = this.memory.evict(held, bytes);
    const [first, last] = [gone[0], gone.at(-1)];
    if (first === undefined || last === undefined) return 0;
    const lost = {
      class: this.class,
      boot: this.#host.boot,
      from: first.seq,
      to: last.seq,
      count: gone.length,
      reason,
    };
    this.#host.losses.add(lost);
    for (const { line } of gone) {
      const event = line.includes(REPORT) ? parseStored(line) : undefined;
      if (event !== undefined) this.#host.losses.restore(event);
    }
    return gone.length;
  }

  /** Deletes files from the front that are settled; the one being written goes only with `all`. */
  async retireSettled(all = false): Promise<void> {
    for (;;) {
      const segment = this.segments[0];
      if (segment === undefined || segment.left > 0 || (segment === this.#active && !all)) return;
      this.segments.shift();
      if (segment === this.#active) this.#active = undefined;
      await segment.remove();
    }
  }

  #front(): number {
    return this.segments.findIndex(({ left }) => left > 0);
  }

  #takeMemory(maxRecords: number, maxBytes: number): readonly StoredEvent[] {
    const skip = this.#settledWhileWriting;
    const records = this.memory.peek(maxRecords + skip, maxBytes).slice(skip);
    this.#pinned = records.length;
    return records.flatMap(({ line }) => parseStored(line) ?? []);
  }

  async #segmentFor(records: readonly SpoolRecord[]): Promise<Segment> {
    const active = this.#active;
    const size = framedBytes(records);
    if (active !== undefined && active.size + size <= this.#host.segmentBytes) return active;
    if (active !== undefined && active.size === HEADER_BYTES) return active;
    this.#active = undefined;
    await active?.seal();
    const { path, number } = this.#host.nextFile(this.class);
    const created = await Segment.create(
      path,
      number,
      { class: this.class, boot: this.#host.boot },
      this.#host.openFile,
    );
    this.segments.push(created);
    this.#active = created;
    return created;
  }

  /** The next `count` of a file can't be read: counted as lost, and passed over. */
  #damaged(segment: Segment, count: number): void {
    const from = segment.last - segment.left + 1;
    const lost = { class: this.class, boot: segment.header.boot, from, to: from + count - 1, count };
    segment.settled += count;
    this.#host.losses.add({ ...lost, reason: 'damaged' });
  }
}
