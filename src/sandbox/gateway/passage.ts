import { Writable } from 'node:stream';

import { LineCutter, type LineListener } from './lines.ts';

const LF = 10;

/** How a {@link Passage} behaves. */
interface PassageOptions {
  /** Those whose full buffers hold the source back. */
  readonly paced: readonly Writable[];
  /** Whether the end of the source is the target's. */
  readonly endsTarget: boolean;
  /** Sees what passes as it came. */
  readonly passing?: (bytes: Buffer) => void;
}

/**
 * One direction of a conversation on its way to `to`. Bytes pass as they come; once a listener is set, from the next
 * line on they go to it line by line instead. */
export class Passage extends Writable {
  readonly #to: Writable;
  readonly #paced: readonly Writable[];
  readonly #endsTarget: boolean;
  readonly #passing: ((bytes: Buffer) => void) | undefined;
  #cutter: LineCutter | undefined;
  /** What passed as it came ended inside a line. */
  #insideLine = false;
  readonly #waiting: Buffer[] = [];

  constructor(to: Writable, options: PassageOptions) {
    super();
    this.#to = to;
    this.#paced = options.paced;
    this.#endsTarget = options.endsTarget;
    this.#passing = options.passing;
  }

  /** Sets or takes away the listener; what was held of a line then passes. */
  listen(listener: LineListener | undefined): void {
    if (listener !== undefined) {
      this.#cutter ??= new LineCutter(listener);
      return;
    }
    const held = this.#cutter?.take();
    this.#cutter = undefined;
    if (held !== undefined && held.length > 0) this.pass(held);
  }

  /** Writes to the target. */
  pass(bytes: Buffer): void {
    this.#insideLine = bytes.at(-1) !== LF;
    if (this.#to.writable) this.#to.write(bytes);
    if (this.#insideLine) return;
    for (const line of this.#waiting.splice(0)) this.pass(line);
  }

  /** Writes a line of ours to the target, between two of the source's. */
  insert(line: Buffer): void {
    if (this.#insideLine) this.#waiting.push(line);
    else this.pass(line);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.#take(chunk);
    whenDrained(this.#paced, done);
  }

  override _final(done: () => void): void {
    this.#cutter?.end();
    if (this.#endsTarget) this.#to.end();
    done();
  }

  #take(chunk: Buffer): void {
    if (this.#cutter === undefined) {
      this.#passing?.(chunk);
      return this.pass(chunk);
    }
    const end = this.#insideLine ? chunk.indexOf(LF) : -1;
    if (this.#insideLine && end === -1) return this.pass(chunk);
    if (end !== -1) this.pass(chunk.subarray(0, end + 1));
    this.#cutter.push(chunk.subarray(end + 1));
  }
}

/** Calls `done` when none of them is full; one that is gone is not waited for. */
function whenDrained(targets: readonly Writable[], done: () => void): void {
  const full = targets.find((target) => target.writableNeedDrain && !target.destroyed);
  if (full === undefined) return done();
  const go = (): void => {
    full.off('drain', go);
    full.off('close', go);
    full.off('error', go);
    whenDrained(targets, done);
  };
  full.once('drain', go);
  full.once('close', go);
  full.once('error', go);
}
