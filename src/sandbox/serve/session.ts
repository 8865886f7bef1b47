import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Readable, Writable } from 'node:stream';

import type { WireObject } from '../../policy/mcp/wire.ts';
import { LineCutter } from '../gateway/lines.ts';
import { EventStream } from './event-stream.ts';
import { Exchange } from './exchange.ts';
import { answeredId, progressOf, progressToken, readMessages, requestId, type Text } from './messages.ts';

/** A stdio server in a sandbox of its own; the end of its input ends it. */
export interface ServedSandbox {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves at its end, with a sentence about it. */
  readonly ended: Promise<string>;
}

/** Streams that are over and kept for clients that come back. */
const KEPT_STREAMS = 32;
/** JSON-RPC's "internal error". */
const INTERNAL = -32603;

/** What a POST brings besides its messages. */
export interface Delivery {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly prime: boolean;
  readonly json: boolean;
}

/** One sandbox and the HTTP exchanges that talk to it. */
export class Session {
  readonly id = randomUUID();
  /** What the server says unasked. */
  readonly #unasked = new EventStream('0');
  readonly #sandbox: ServedSandbox;
  readonly #exchanges = new Set<Exchange>();
  readonly #streams = new Map<string, EventStream>([['0', this.#unasked]]);
  readonly #note: (line: string) => void;
  #count = 0;
  /** Why it is over. */
  over: string | undefined;
  /** Milliseconds since the epoch: when somebody last had to do with it. */
  used = Date.now();

  constructor(sandbox: ServedSandbox, note: (line: string) => void) {
    this.#sandbox = sandbox;
    this.#note = note;
    const cutter = new LineCutter({
      line: (bytes) => this.#line(bytes),
      tooLong: (_, first) => first && this.#fail('An answer of the server is too long to be carried.'),
    });
    const lines = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        cutter.push(chunk);
        // At the pace of the slowest reader: what nobody takes is not asked for.
        void this.#paced(done);
      },
      final: (done) => {
        cutter.end();
        done();
      },
    });
    const read = once(sandbox.stdout.pipe(lines), 'finish');
    sandbox.stdin.on('error', () => undefined);
    void Promise.all([sandbox.ended, read]).then(([why]) => this.#ended(why));
  }

  /** Somebody waits for an answer, or listens. */
  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#unasked.connected;
  }

  /** Ids that wait for their answers. */
  waitsFor(text: Text): boolean {
    const ids = text.messages.map(requestId);
    return [...this.#exchanges].some(({ waiting }) => ids.some((id) => id !== undefined && waiting.has(id)));
  }

  /** Hands a client's messages over; the response is answered as they are. Resolves when the server took them. */
  async post(text: Text, delivery: Delivery): Promise<void> {
    this.used = Date.now();
    const ids = text.messages.map(requestId).filter((id) => id !== undefined);
    if (ids.length > 0) {
      const tokens = text.messages.map(progressToken).filter((token) => token !== undefined);
      const exchange = new Exchange({ name: (++this.#count).toString(36), ids, tokens, ...delivery });
      this.#exchanges.add(exchange);
      this.#streams.set(this.#count.toString(36), exchange.stream);
      this.#forget();
    }
    await this.write(text.line);
    if (ids.length === 0) delivery.response.writeHead(202, { ...delivery.headers, 'Content-Length': 0 }).end();
  }

  /** Writes a line to the server, at its pace. */
  async write(line: Buffer): Promise<void> {
    const { stdin } = this.#sandbox;
    if (!stdin.writable) return;
    stdin.write(line);
    if (stdin.write('\n')) return;
    await new Promise<void>((resolve) => {
      stdin.once('drain', resolve);
      stdin.once('close', resolve);
    });
  }

  /** Connects a client that listens, or comes back for the rest of a stream. False: somebody listens already. */
  listen(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    lastEventId: string | undefined,
  ): boolean {
    this.used = Date.now();
    const last = lastEventId === undefined ? undefined : EventStream.parse(lastEventId);
    const stream = (last === undefined ? undefined : this.#streams.get(last.name)) ?? this.#unasked;
    if (stream.connected && last === undefined) return false;
    if (last !== undefined && this.#streams.has(last.name)) stream.connect(response, headers, last.number);
    else stream.connect(response, headers);
    return true;
  }

  beat(): void {
    for (const stream of this.#streams.values()) stream.beat();
  }

  /** Ends the sandbox; resolves when it has ended. */
  async end(): Promise<void> {
    this.#sandbox.stdin.end();
    await this.#sandbox.ended;
  }

  #line(bytes: Buffer): void {
    const text = readMessages(bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes);
    if (text === undefined) {
      const words = bytes.toString('utf8').trim();
      if (words !== '') this.#note(`the server says what is no message: ${words.slice(0, 200)}`);
      return;
    }
    // Of a batch each message goes where it belongs, on its own.
    const [only] = text.messages;
    if (!text.batch && only !== undefined) return this.#route(only, text.line.toString('utf8'));
    for (const message of text.messages) this.#route(message, JSON.stringify(message));
  }

  #route(message: WireObject, text: string): void {
    const id = answeredId(message);
    if (id !== undefined) {
      const exchange = [...this.#exchanges].find(({ waiting }) => waiting.has(id));
      if (exchange?.answer(id, text) === true) this.#exchanges.delete(exchange);
      return;
    }
    const token = progressOf(message);
    const about = token === undefined ? undefined : [...this.#exchanges].find(({ tokens }) => tokens.has(token));
    if (about !== undefined) return about.tell(text);
    const [any] = this.#exchanges;
    if (this.#unasked.connected || any === undefined) this.#unasked.send(text);
    else any.tell(text);
  }

  async #paced(done: () => void): Promise<void> {
    for (const stream of this.#streams.values()) await stream.room();
    done();
  }

  #forget(): void {
    for (const name of this.#streams.keys()) {
      if (this.#streams.size <= KEPT_STREAMS + this.#exchanges.size) return;
      const stream = this.#streams.get(name);
      if (name !== '0' && ![...this.#exchanges].some((one) => one.stream === stream)) this.#streams.delete(name);
    }
  }

  /** Answers all that wait with an error. */
  #fail(message: string): void {
    for (const exchange of this.#exchanges) {
      for (const id of exchange.waiting) {
        const answer = { jsonrpc: '2.0', id: JSON.parse(id) as unknown, error: { code: INTERNAL, message } };
        exchange.answer(id, JSON.stringify(answer));
      }
    }
    this.#exchanges.clear();
  }

  #ended(why: string): void {
    this.over = why;
    this.#fail(why);
    for (const stream of this.#streams.values()) stream.end();
  }
}
