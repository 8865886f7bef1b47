import type { ServerResponse } from 'node:http';

import { EventStream } from './event-stream.ts';

/** How long an answer may take until the client gets a stream that says that it is waited for, ms. */
const PATIENCE = 1_000;

/** What a POST with requests waits for. A single answer that comes alone is JSON; all else is an event stream. */
export class Exchange {
  readonly stream: EventStream;
  readonly tokens: ReadonlySet<string>;
  /** Ids of its requests that have no answer yet. */
  readonly waiting: Set<string>;
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #prime: boolean;
  #streams: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    readonly name: string;
    readonly ids: readonly string[];
    readonly tokens: readonly string[];
    readonly response: ServerResponse;
    readonly headers: Readonly<Record<string, string>>;
    /** Begins a stream with an id, for a client that understands events without data. */
    readonly prime: boolean;
    /** Whether the client takes JSON. */
    readonly json: boolean;
  }) {
    this.stream = new EventStream(options.name);
    this.waiting = new Set(options.ids);
    this.tokens = new Set(options.tokens);
    this.#response = options.response;
    this.#headers = options.headers;
    this.#prime = options.prime;
    this.#streams = false;
    if (!options.json) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), PATIENCE).unref();
  }

  /** A message of the server that belongs to it. */
  tell(text: string): void {
    this.#begin();
    this.stream.send(text);
  }

  /** The answer to one of its requests; true when it was the last one. */
  answer(id: string, text: string): boolean {
    const single = this.waiting.size === 1 && !this.#streams && this.waiting.has(id);
    this.waiting.delete(id);
    if (single) this.#json(text);
    else this.tell(text);
    if (this.waiting.size > 0) return false;
    clearTimeout(this.#timer);
    if (!single) this.stream.end();
    return true;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    if (this.#streams) return;
    this.#streams = true;
    if (this.#prime) this.stream.send(undefined);
    if (!this.#response.destroyed) this.stream.connect(this.#response, this.#headers, 0);
  }

  #json(text: string): void {
    if (this.#response.destroyed) {
      // Its client may come back for it.
      this.#streams = true;
      this.stream.send(text);
      this.stream.end();
      return;
    }
    const body = Buffer.from(text);
    const type = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    this.#response.writeHead(200, { ...this.#headers, ...type }).end(body);
  }
}
