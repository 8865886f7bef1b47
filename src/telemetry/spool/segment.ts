import { open, readFile, truncate, unlink, type FileHandle } from 'node:fs/promises';

import { parseStored, type StoredEvent } from '../event/stored-event.ts';
import { encodeFrames, encodeHeader, frameAt, HEADER_BYTES, type SegmentHeader, type SpoolRecord } from './frame.ts';
import { scan } from './scan.ts';

/** An event read back from a segment, or what is left of one whose bytes are damaged. */
export type ReadBack = { readonly event: StoredEvent } | { readonly damaged: number };

/** How files for writing are opened: a seam for tests of full disks. */
export type OpenFile = (path: string, flags: string, mode: number) => Promise<FileHandle>;

/** Files are the operator's own: events can hold what agents were asked. */
const MODE = 0o600;

/** What is read at once: a usual batch; and where one event is larger, what holds any. */
const READ = 512 * 1024;
const CHUNK = 1024 * 1024;

/**
 * One file of a stream: written once from start to end, read in the same order, deleted when everything in it is
 * settled. How far it was read is a count of records, so it doesn't matter whether a record was sent from memory
 * or from here.
 */
export class Segment {
  readonly path: string;
  readonly number: number;
  readonly header: SegmentHeader;
  records = 0;
  /** Records at the front that need not be sent (again). */
  settled = 0;
  first = 0;
  last = 0;
  size = 0;
  torn = 0;
  /** A place in the file, and the number of records before it. */
  #mark = { at: HEADER_BYTES, records: 0 };
  #writer: FileHandle | undefined;
  #reader: FileHandle | undefined;
  #buffer: Buffer | undefined;

  constructor(path: string, number: number, header: SegmentHeader) {
    this.path = path;
    this.number = number;
    this.header = header;
  }

  /** Starts a new file; fails if there is one. */
  static async create(path: string, number: number, header: SegmentHeader, openFile: OpenFile): Promise<Segment> {
    const segment = new Segment(path, number, header);
    segment.#writer = await openFile(path, 'ax', MODE);
    try {
      await segment.#write(encodeHeader(header));
      return segment;
    } catch (error) {
      await segment.remove();
      throw error;
    }
  }

  /** A file of an earlier start, its torn end cut off. Undefined where nothing of it can be read. */
  static async recover(path: string, number: number): Promise<Segment | undefined> {
    const found = scan(await readFile(path));
    if (found === undefined) return undefined;
    const segment = new Segment(path, number, found.header);
    Object.assign(segment, { records: found.records, first: found.first, last: found.last, size: found.size });
    segment.torn = found.torn;
    // On a read-only file system the torn end stays, and is passed over again next time.
    if (found.torn > 0) await truncate(path, found.size).catch(() => undefined);
    return segment;
  }

  get left(): number {
    return this.records - this.settled;
  }

  get writable(): boolean {
    return this.#writer !== undefined;
  }

  /** Appends in one write; with `sync`, resolves when the disk has it. The records count from `commit` on. */
  async append(records: readonly SpoolRecord[], sync: boolean): Promise<void> {
    const before = this.size;
    try {
      await this.#write(encodeFrames(records));
      if (sync) await this.#writer?.datasync();
    } catch (error) {
      this.size = before;
      throw error;
    }
  }

  commit(records: readonly SpoolRecord[]): void {
    if (this.records === 0) this.first = records[0]?.seq ?? 0;
    this.last = records.at(-1)?.seq ?? this.last;
    this.records += records.length;
  }

  /** Nothing more is written to it. */
  async seal(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }

  /** After a failed write: cuts what was written in part, and seals. */
  async abort(): Promise<void> {
    await this.#writer?.truncate(this.size).catch(() => undefined);
    await this.seal().catch(() => undefined);
  }

  /** Up to `maxRecords` unsettled events from the front, and not much more than `maxBytes` of them. */
  async read(maxRecords: number, maxBytes: number): Promise<readonly ReadBack[]> {
    for (const room of [READ, CHUNK]) {
      while (this.left > 0) {
        const before = this.#mark;
        const found = await this.#read(room, maxRecords, maxBytes);
        if (found.length > 0) return found;
        if (this.#mark === before) break;
      }
    }
    // Bytes that were whole when written and can't be found now: the rest of the file is lost.
    return this.left > 0 ? [{ damaged: this.left }] : [];
  }

  /** What one read of `room` bytes holds; moves the mark over settled records. */
  async #read(room: number, maxRecords: number, maxBytes: number): Promise<readonly ReadBack[]> {
    this.#reader ??= await open(this.path, 'r');
    const start = this.#mark.at;
    const wanted = Math.min(this.size - start, room);
    // One buffer for all reads: what was read is parsed before the next.
    if ((this.#buffer?.length ?? 0) < wanted) this.#buffer = Buffer.allocUnsafe(room);
    const { buffer, bytesRead } = await this.#reader.read(this.#buffer ?? Buffer.alloc(0), 0, wanted, start);
    const bytes = buffer.subarray(0, bytesRead);
    const found: ReadBack[] = [];
    let [at, used, index] = [0, 0, this.#mark.records];
    while (index < this.records && found.length < maxRecords && used < maxBytes) {
      const frame = frameAt(bytes, at);
      if (frame.kind === 'short') break;
      if (index < this.settled) this.#mark = { at: start + frame.end, records: index + 1 };
      else {
        found.push(frame.kind === 'record' ? parsed(frame.payload) : { damaged: 1 });
        used += frame.end - at;
      }
      at = frame.end;
      index++;
    }
    return found;
  }

  /** Every unsettled event whose text has `mark` in it; what can't be read is left out. */
  async find(mark: string): Promise<readonly StoredEvent[]> {
    const bytes = await readFile(this.path).catch(() => Buffer.alloc(0));
    const found: StoredEvent[] = [];
    for (let at = HEADER_BYTES, index = 0; ; index++) {
      const frame = frameAt(bytes, at);
      if (frame.kind === 'short') return found;
      at = frame.end;
      if (frame.kind === 'corrupt' || index < this.settled || !frame.payload.includes(mark)) continue;
      const read = parsed(frame.payload);
      if ('event' in read) found.push(read.event);
    }
  }

  async close(): Promise<void> {
    await this.seal().catch(() => undefined);
    const reader = this.#reader;
    this.#reader = undefined;
    this.#buffer = undefined;
    await reader?.close().catch(() => undefined);
  }

  async remove(): Promise<void> {
    await this.close();
    await unlink(this.path).catch(() => undefined);
  }

  async #write(bytes: Buffer): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const result = await this.#writer?.write(bytes, written, bytes.length - written);
      written += result?.bytesWritten ?? bytes.length;
    }
    this.size += bytes.length;
  }
}

function parsed(payload: Buffer): ReadBack {
  const event = parseStored(payload.toString('utf8'));
  return event === undefined ? { damaged: 1 } : { event };
}
