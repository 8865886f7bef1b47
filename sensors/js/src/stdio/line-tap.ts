/**
 * A conversation in lines that no SDK carries, under the same rules as one that an SDK does: the lines are handed to a
 * {@link Tap} as a transport would.
 *
 * Since: all supported Nodes.
 * Can't see: messages that JSON can't read as an object with `jsonrpc: "2.0"`: they pass as they are.
 */
import type { Side } from '../policy/decider.ts';
import type { Sensor } from '../sensor.ts';
import { Tap } from '../mcp/transport.ts';
import { isObject, type Transport, type WireMessage, type WireObject } from '../mcp/wire.ts';
import { messagesIn } from './recognise.ts';

/** Which way a line goes, seen from this program. */
export type Way = 'in' | 'out';

/** Takes bytes that may go on. */
export type Sink = (way: Way, bytes: Buffer) => void;

/** Who talks. */
export interface Parties {
  /** What this program is. */
  readonly role: Side;
  /** A client's server, as the program started it. */
  readonly server?: { readonly command: string; readonly args: readonly string[] };
}

/** What {@link Tap} reads of an SDK's protocol object, learnt from the lines. */
interface Owner {
  _serverInfo?: unknown;
  _capabilities?: unknown;
  _serverVersion?: unknown;
  _serverCapabilities?: unknown;
}

export class LineTap {
  readonly tap: Tap;
  readonly #transport: Transport;
  readonly #owner: Owner;
  readonly #sink: Sink;
  /** The line that is judged now: what comes out of it unchanged goes on as the bytes that came. */
  #judged: { readonly way: Way; readonly message: unknown; readonly bytes: Buffer } | undefined;
  /** The messages of a batch that go on. */
  #batch: { readonly way: Way; readonly passed: unknown[] } | undefined;

  constructor(sensor: Sensor, { role, server }: Parties, sink: Sink) {
    this.#sink = sink;
    this.#owner = role === 'server' ? { _serverInfo: {} } : {};
    const named = server === undefined ? {} : { _serverParams: server };
    // `_stdin`: what the events call the transport.
    const transport: Transport & { readonly _stdin: boolean } = {
      ...named,
      _stdin: true,
      start: () => Promise.resolve(),
      send: (message: WireMessage) => {
        this.#pass('out', message);
        return Promise.resolve();
      },
    };
    this.#transport = transport;
    this.tap = new Tap(sensor, this.#owner, this.#transport, (message) => this.#pass('in', message));
  }

  /** Judges one line with its end, and lets go on what may. */
  line(way: Way, bytes: Buffer): void {
    const read = messagesIn(bytes);
    if (read === undefined) return this.#sink(way, bytes);
    const [first] = read.messages;
    if (!read.batch && first !== undefined) return this.#one(way, first, bytes);
    this.#batch = { way, passed: [] };
    for (const message of read.messages) this.#hand(way, message);
    const { passed } = this.#batch;
    this.#batch = undefined;
    const untouched = passed.length === read.messages.length && passed.every((one, at) => one === read.messages[at]);
    if (untouched) this.#sink(way, bytes);
    else if (passed.length > 0) this.#sink(way, encoded(passed));
  }

  #one(way: Way, message: WireObject, bytes: Buffer): void {
    this.#judged = { way, message, bytes };
    try {
      this.#hand(way, message);
    } finally {
      this.#judged = undefined;
    }
  }

  #hand(way: Way, message: WireObject): void {
    this.#learn(message['result']);
    const passing = message as unknown as WireMessage;
    if (way === 'in') this.#transport.onmessage?.(passing);
    else void this.#transport.send(passing);
  }

  #pass(way: Way, message: unknown): void {
    if (this.#batch?.way === way) this.#batch.passed.push(message);
    else {
      const { way: judgedWay, message: judged, bytes } = this.#judged ?? {};
      const same = bytes !== undefined && judgedWay === way && judged === message;
      this.#sink(way, same ? bytes : encoded(message));
    }
  }

  /** What `initialize` answers: the server's name, and of which lists it may say that they have changed. */
  #learn(result: unknown): void {
    if (!isObject(result) || !isObject(result['serverInfo'])) return;
    const { serverInfo, capabilities } = result;
    if (this.#owner._serverInfo !== undefined)
      Object.assign(this.#owner, { _serverInfo: serverInfo, _capabilities: capabilities });
    else Object.assign(this.#owner, { _serverVersion: serverInfo, _serverCapabilities: capabilities });
  }
}

function encoded(message: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}
