import type { ServerResponse } from 'node:http';

import { writeBlock } from '../gateway/http/blocks.ts';

/** What is kept of a stream for a client that comes back, bytes and events. */
const KEPT_BYTES = 4 * 1024 * 1024;
const KEPT_EVENTS = 1024;

const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' };

/** An event stream that outlives its connection: who comes back with the id of its last event gets the rest. */
export class EventStream {
  readonly #name: string;
  readonly #kept: { readonly number: number; readonly bytes: Buffer }[] = [];
  #keptBytes = 0;
  #last = 0;
  /** The last event that went to a connection. */
  #sent = 0;
  #to: ServerResponse | undefined;
  #over = false;

  constructor(name: string) {
    this.#name = name;
  }

  /** The name of the stream and the number of the event in an id of ours. */
  static parse(id: string): { readonly name: string; readonly number: number } | undefined {
    const [, name, digits] = /^([0-9a-z]+)\.(\d{1,15})$/.exec(id) ?? [];
    return name === undefined ? undefined : { name, number: Number(digits) };
  }

  /** Somebody reads it now. */
  get connected(): boolean {
    return this.#to !== undefined;
  }

  /** Connects a response, and writes what comes after event `after`, or what nobody has had. */
  connect(to: ServerResponse, headers: Readonly<Record<string, string>>, after = this.#sent): void {
    this.#to = to;
    to.writeHead(200, { ...HEADERS, ...headers });
    to.flushHeaders();
    to.once('close', () => {
      if (this.#to === to) this.#to = undefined;
    });
    for (const { number, bytes } of this.#kept) if (number > after) to.write(bytes);
    this.#sent = this.#last;
    if (this.#over) this.end();
  }

  /** Writes one message, or (undefined) the id alone that a client can come back with. */
  send(message: string | undefined): void {
    const number = ++this.#last;
    const id = `${this.#name}.${number}`;
    const bytes =
      message === undefined ? Buffer.from(`id: ${id}\ndata:\n\n`) : writeBlock({ event: 'message', id, data: message });
    this.#kept.push({ number, bytes });
    this.#keptBytes += bytes.length;
    if (this.#to !== undefined) {
      this.#to.write(bytes);
      this.#sent = number;
    }
    while (this.#kept.length > 1 && (this.#keptBytes > KEPT_BYTES || this.#kept.length > KEPT_EVENTS)) {
      this.#keptBytes -= this.#kept.shift()?.bytes.length ?? 0;
    }
  }

  /** A comment, so that nobody on the way takes the connection for dead. */
  beat(): void {
    this.#to?.write(':\n\n');
  }

  /** Resolves when its reader takes more, or is gone. */
  async room(): Promise<void> {
    const to = this.#to;
    if (to?.writableNeedDrain !== true) return;
    await new Promise<void>((resolve) => {
      to.once('drain', resolve);
      to.once('close', resolve);
    });
  }

  /** Nothing more will come. */
  end(): void {
    this.#over = true;
    this.#to?.end();
  }
}
