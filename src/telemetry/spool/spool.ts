import { open } from 'node:fs/promises';

import type { EventClass, NewEvent } from '../../core/events.ts';
import type { Clock } from '../../core/ports.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import { ClassQueue } from './class-queue.ts';
import { AckWriter } from './ack-writer.ts';
import { openDirectory, segmentPath, syncDirectory } from './directory.ts';
import type { SpoolRecord } from './frame.ts';
import { DurableWaiters } from './durable-waiters.ts';
import { Losses } from './losses.ts';
import { diskFull, spoolDegraded, spoolRestored, spoolTorn } from './reports.ts';
import type { OpenFile, Segment } from './segment.ts';

/** Bounds of a spool, bytes. */
export interface SpoolLimits {
  /** All segments together. One more per class may wait for its loss report to be on disk. */
  readonly diskBytes: number;
  readonly segmentBytes: number;
  /** Events that are not on disk: a burst, or all of them while the disk can't be written. */
  readonly memoryBytes: number;
}

export interface SpoolOptions {
  readonly dir: string;
  readonly boot: string;
  readonly clock: Clock;
  readonly limits: SpoolLimits;
  /** Emits an event about the spool itself. */
  readonly report: (event: NewEvent) => void;
  /** There is something to take. */
  readonly available: () => void;
  readonly openFile?: OpenFile;
}

/** Figures of a spool, for `ucpd status`. */
export interface SpoolState {
  readonly state: 'ok' | 'degraded';
  readonly error: string | null;
  readonly disk_bytes: number;
  readonly memory_bytes: number;
  readonly waiting: Readonly<Record<EventClass, number>>;
  /** Files that ended in a torn write when they were found. */
  readonly torn: number;
}

const CLASSES = ['critical', 'normal'] as const;

/** Bytes of one write: more would only be more memory. */
const WRITE = 256 * 1024;

/** Pauses between attempts to write to a failing disk, milliseconds. */
const DISK_RETRY = [1000, 2000, 5000, 10_000, 30_000] as const;

/**
 * Keeps events until they are settled, through crashes and full disks. `push` only appends to memory; a pump moves
 * memory to disk, critical events first and with fsync (one for all that waited). Whatever is given up is counted in
 * `losses` and reported as an `export_gap` event, which is on disk before the evicted file is deleted.
 */
export class Spool {
  readonly losses = new Losses();
  readonly #options: SpoolOptions;
  readonly #queues: Readonly<Record<EventClass, ClassQueue>>;
  readonly #acks: AckWriter;
  readonly #waiters = new DurableWaiters();
  #next = 1;
  #opened = false;
  #closed = false;
  #pump: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly since: number; readonly attempts: number } | undefined;
  #cancelRetry: (() => void) | undefined;
  /** Evicted files whose loss report is not on disk yet. */
  #doomed: Segment[] = [];
  #torn = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#acks = new AckWriter(options.dir);
    const host = {
      boot: options.boot,
      segmentBytes: options.limits.segmentBytes,
      openFile: options.openFile ?? open,
      nextFile: (cls: EventClass) => ({ path: segmentPath(options.dir, cls, this.#next), number: this.#next++ }),
      losses: this.losses,
      retire: async (segment: Segment) => {
        await segment.close();
        this.#doomed.push(segment);
      },
    };
    this.#queues = { critical: new ClassQueue('critical', host), normal: new ClassQueue('normal', host) };
    this.#kick();
  }

  /** Takes one event; never waits, never throws. Over the memory bound, the oldest normal event goes first. */
  push(cls: EventClass, record: SpoolRecord): void {
    const { critical, normal } = this.#queues;
    this.#queues[cls].memory.push(record);
    if (cls === 'critical') this.#waiters.pushed(record.seq);
    const over = (): number => critical.memory.bytes + normal.memory.bytes - this.#options.limits.memoryBytes;
    if (over() > 0) normal.evictMemory(over(), 'memory_full');
    if (over() > 0) critical.evictMemory(over(), 'memory_full');
    this.#kick();
    if (this.#failure !== undefined) this.#options.available();
  }

  /** The oldest events, critical ones first. One taker at a time; settle or release all before the next call. */
  async take(maxRecords: number, maxBytes: number): Promise<readonly StoredEvent[]> {
    const critical = await this.#queues.critical.take(maxRecords, maxBytes, this.#memoryOnly);
    const room = maxRecords - critical.length;
    const normal = room > 0 ? await this.#queues.normal.take(room, maxBytes, this.#memoryOnly) : [];
    // What can't be read, or was pushed out of memory while the disk fails, is told as soon as somebody listens.
    this.#reportLosses();
    return [...critical, ...normal];
  }

  /** These, the oldest of what was taken, need not be sent again. */
  settle(events: readonly StoredEvent[]): void {
    for (const cls of CLASSES) this.#queues[cls].settle(events.filter((event) => event.class === cls).length);
    this.#saveAcks();
  }

  /** What was taken and not settled is to be taken again. */
  release(): void {
    for (const cls of CLASSES) this.#queues[cls].release();
  }

  /** Resolves when every critical event pushed so far is on disk (true), or can't get there now (false). */
  durable(): Promise<boolean> {
    return this.#waiters.wait(this.#failure !== undefined);
  }

  /** Resolves when the pump rests: everything is on disk, or the disk is failing. */
  async idle(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  /** Moves what is in memory to disk as far as the disk takes it, and lets go of all files. */
  async close(): Promise<void> {
    await this.idle();
    this.#reportLosses();
    await this.idle();
    this.#closed = true;
    this.#cancelRetry?.();
    await this.#pumpOnce().catch((error: unknown) => this.#note(error));
    this.release();
    for (const cls of CLASSES) {
      await this.#queues[cls].retireSettled(true);
      for (const segment of this.#queues[cls].segments) await segment.close();
    }
    this.#saveAcks();
    await this.#acks.idle();
    this.#waiters.fail();
  }

  state(): SpoolState {
    const { critical, normal } = this.#queues;
    return {
      state: this.#failure === undefined ? 'ok' : 'degraded',
      error: this.#failure === undefined ? null : String(this.#failure.error),
      disk_bytes: critical.diskBytes + normal.diskBytes,
      memory_bytes: critical.memory.bytes + normal.memory.bytes,
      waiting: { critical: critical.length, normal: normal.length },
      torn: this.#torn,
    };
  }

  /** Events are sent from memory: the disk is failing, and no attempt is under way that could show otherwise. */
  get #memoryOnly(): boolean {
    return this.#failure !== undefined && this.#pump === undefined;
  }

  #kick(): void {
    if (this.#closed || this.#pump !== undefined || this.#cancelRetry !== undefined) return;
    // Deferred: all that is emitted in one turn of the event loop becomes one write.
    this.#pump = new Promise<void>((turn) => setImmediate(turn))
      .then(() => this.#pumpOnce())
      .then(
        (stored) => this.#succeeded(stored),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#pump = undefined;
        const { critical, normal } = this.#queues;
        if (critical.memory.length + normal.memory.length > 0) this.#kick();
        if (this.#failure !== undefined) this.#options.available();
      });
  }

  /** Moves all of memory to disk; returns how many events that were. */
  async #pumpOnce(): Promise<number> {
    if (!this.#opened) await this.#open();
    for (let sum = 0; ;) {
      const stored = (await this.#store('critical')) + (await this.#store('normal'));
      if (stored === 0) return sum;
      sum += stored;
      this.#options.available();
    }
  }

  async #open(): Promise<void> {
    const found = await openDirectory(this.#options.dir);
    this.#opened = true;
    this.#next = found.next;
    for (const cls of CLASSES) {
      this.#queues[cls].segments.push(...found.segments.filter(({ header }) => header.class === cls));
    }
    const torn = found.segments.filter((segment) => segment.torn > 0);
    this.#torn = torn.length + found.unreadable.length;
    for (const { header, last, torn: bytes } of torn) this.#options.report(spoolTorn(header, last, bytes));
    if (found.segments.length > 0) this.#options.available();
  }

  async #store(cls: EventClass): Promise<number> {
    if (this.#queues[cls].memory.length === 0) return 0;
    await this.#makeRoom(cls);
    const files = this.#next;
    const stored = await this.#queues[cls].store(Math.min(WRITE, this.#options.limits.segmentBytes));
    if (cls === 'critical') {
      if (files !== this.#next) await syncDirectory(this.#options.dir);
      this.#waiters.stored(stored.at(-1)?.seq ?? 0);
      for (const segment of this.#doomed.splice(0)) await segment.remove();
    }
    return stored.length;
  }

  /** Gives up old files until one more write fits: normal ones first, critical ones only for critical events. */
  async #makeRoom(cls: EventClass): Promise<void> {
    const { diskBytes, segmentBytes } = this.#options.limits;
    const { critical, normal } = this.#queues;
    while (critical.diskBytes + normal.diskBytes + segmentBytes > diskBytes) {
      if (await normal.evictSegment()) continue;
      if (cls === 'critical' && (await critical.evictSegment())) continue;
      if (cls === 'normal') normal.evictMemory(normal.memory.bytes, 'spool_full');
      break;
    }
    this.#reportLosses();
  }

  #succeeded(stored: number): void {
    // Nothing written proves nothing: the disk counts as failing until it has taken something.
    if (stored === 0) return;
    this.#reportLosses();
    if (this.#failure === undefined) return;
    const seconds = Math.round((this.#options.clock.monotonic() - this.#failure.since) / 1000);
    this.#failure = undefined;
    this.#options.report(spoolRestored(seconds));
  }

  async #failed(error: unknown): Promise<void> {
    const first = this.#failure === undefined;
    this.#note(error);
    if (first) this.#options.report(spoolDegraded(error));
    this.#waiters.fail();
    // A full disk is partly our doing: what critical events need is taken from the normal ones, file by file.
    if (diskFull(error) && (await this.#queues.normal.evictSegment())) {
      for (const segment of this.#doomed.splice(0)) await segment.remove();
      return;
    }
    if (this.#closed) return;
    const pause = DISK_RETRY[Math.min(this.#failure?.attempts ?? 1, DISK_RETRY.length) - 1] ?? 1000;
    this.#cancelRetry = this.#options.clock.after(pause, () => {
      this.#cancelRetry = undefined;
      this.#kick();
    });
  }

  #note(error: unknown): void {
    const { since, attempts } = this.#failure ?? { since: this.#options.clock.monotonic(), attempts: 0 };
    this.#failure = { error, since, attempts: attempts + 1 };
  }

  /** Not while memory is full: each report would push out another event, to be reported in turn. */
  #reportLosses(): void {
    const { critical, normal } = this.#queues;
    if (critical.memory.bytes + normal.memory.bytes > this.#options.limits.memoryBytes / 2) return;
    for (const event of this.losses.report()) this.#options.report(event);
  }

  #saveAcks(): void {
    const done = { file: this.#next, settled: 0 };
    const { critical, normal } = this.#queues;
    if (this.#opened) this.#acks.save({ critical: critical.ack ?? done, normal: normal.ack ?? done });
  }
}
