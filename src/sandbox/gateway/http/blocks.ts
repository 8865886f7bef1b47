import { isUtf8 } from 'node:buffer';

import { createParser } from 'eventsource-parser';

const LF = 10;
const CR = 13;

/** What comes out of an event stream that is cut into blocks: the lines of one event with the empty line that ends it. */
export interface BlockListener {
  block(bytes: Buffer): void;
  /** Whether so many bytes may be held of a block that has not ended. */
  room(bytes: number): boolean;
  /** Part of a block that there was no room for; `first` and `last` once for each such block. */
  tooLong(bytes: Buffer, first: boolean, last: boolean): void;
}

/** Cuts an event stream into blocks. */
export class BlockCutter {
  readonly #on: BlockListener;
  #parts: Buffer[] = [];
  #length = 0;
  #inLine = false;
  #afterReturn = false;
  #overflowing = false;

  constructor(on: BlockListener) {
    this.#on = on;
  }

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    let from = 0;
    let at = 0;
    const ended = (next: number): void => {
      const empty = !this.#inLine;
      this.#inLine = false;
      at = next;
      if (!empty) return;
      this.#finish(chunk.subarray(from, at));
      from = at;
    };
    if (this.#afterReturn && chunk.length > 0) ended(chunk[0] === LF ? 1 : 0);
    for (const [end, next] of lineEnds(chunk, at)) {
      if (end > at) this.#inLine = true;
      ended(next);
    }
    // Whether a line feed belongs to it, the next byte says.
    this.#afterReturn = at < chunk.length && chunk.at(-1) === CR;
    if (chunk.length - at > (this.#afterReturn ? 1 : 0)) this.#inLine = true;
    this.#keep(chunk.subarray(from));
    if (!this.#on.room(this.#length)) this.#overflow();
  }

  /** The stream has ended; what came after the last block is returned: no event, for it was never ended. */
  end(): Buffer {
    const ended = this.#overflowing || (this.#afterReturn && !this.#inLine);
    if (!ended) return this.#take();
    this.#finish(Buffer.alloc(0));
    return Buffer.alloc(0);
  }

  /** A block ends with this part of it. */
  #finish(part: Buffer): void {
    if (this.#overflowing) {
      this.#overflowing = false;
      return this.#on.tooLong(part, false, true);
    }
    this.#keep(part);
    this.#on.block(this.#take());
  }

  /** Hands over what is held, and what comes of its block, piece by piece: joining it would take as much room again. */
  #overflow(): void {
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    this.#overflowing = true;
    for (const [at, part] of parts.entries()) this.#on.tooLong(part, at === 0, false);
    this.#on.room(0);
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#overflowing) return this.#on.tooLong(part, false, false);
    this.#parts.push(part);
    this.#length += part.length;
  }

  #take(): Buffer {
    const [only] = this.#parts;
    const block = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return block;
  }
}

/** Where lines end from `at` on, and where the next ones begin. CR, LF and both together end a line; a CR at the end may. */
export function* lineEnds(chunk: Buffer, at: number): Generator<readonly [number, number]> {
  let returns = chunk.indexOf(CR, at);
  for (let from = at; from < chunk.length;) {
    const feed = chunk.indexOf(LF, from);
    if (returns !== -1 && returns < from) returns = chunk.indexOf(CR, from);
    const end = returns === -1 || (feed !== -1 && feed < returns) ? feed : returns;
    if (end === -1 || (chunk[end] === CR && end === chunk.length - 1)) return;
    from = end + (chunk[end] === CR && chunk[end + 1] === LF ? 2 : 1);
    yield [end, from];
  }
}

/** What a block says. */
export interface EventBlock {
  /** Undefined: nothing is dispatched (comments, an id or a pause alone). */
  readonly data?: string | undefined;
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly retry?: number | undefined;
  /** Every reader of event streams reads it so; else only {@link writeBlock} makes sure. */
  readonly plain: boolean;
}

/** Lines that some readers end elsewhere (`str.splitlines`), a byte order mark, NUL. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const ODD = /\r(?!\n)|[\0\v\f\u001c-\u001e\u0085\u2028\u2029\ufeff]/;
const PLAIN_LINES = /^(?:(?:data|event|id|retry)?:.*\n)*\n$/;

/** Understands one block; undefined when it can't be read. */
export function readBlock(block: Buffer): EventBlock | undefined {
  if (!isUtf8(block)) return undefined;
  const text = block.toString('utf8');
  const events: { data: string; event?: string | undefined; id?: string | undefined }[] = [];
  let retry: number | undefined;
  const parser = createParser({ onEvent: (event) => events.push(event), onRetry: (pause) => (retry = pause) });
  parser.feed(text.endsWith('\r') ? `${text}\n` : text);
  if (events.length > 1) return undefined;
  const plain = !ODD.test(text) && PLAIN_LINES.test(text.includes('\r') ? text.replaceAll('\r\n', '\n') : text);
  return { ...events[0], retry, plain };
}

/** An event that every reader reads the same way. */
export function writeBlock({ data, event, id, retry }: Omit<EventBlock, 'plain'>): Buffer {
  const lines = [
    ...(event === undefined || ODD.test(event) ? [] : [`event: ${event}`]),
    ...(id === undefined || ODD.test(id) ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(data ?? '').split('\n').map((line) => `data: ${escaped(line)}`),
  ];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

/** Within JSON these characters stand in strings only, where an escape means the same. */
function escaped(line: string): string {
  return line.replaceAll(
    /[\u0085\u2028\u2029\ufeff]/g,
    (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
