/**
 * Watches the two streams between a client and a server over stdio until the client's first line says what they speak:
 * MCP without an SDK is judged from then on, everything else is let alone for good.
 *
 * Since: all supported Nodes.
 * Can't see: `fs.readSync(0)` and `fs.writeSync(1)`, children that were given raw descriptors, streams that are not
 * pipes, files or sockets; a first line that comes in pieces more than {@link PATIENCE} apart.
 */
import { denialMessage } from '../mcp/denial.ts';
import type { Refusal } from '../mcp/conversation.ts';
import type { Sensor } from '../sensor.ts';
import { firstByte, Lines } from './lines.ts';
import { LineTap, type Parties, type Way } from './line-tap.ts';
import { messagesIn, opensMcp } from './recognise.ts';

const setTimer = setTimeout;

/** Milliseconds that the beginning of a first line may wait for its end. */
const PATIENCE = 2000;

const OPENING = new Set([0x7b, 0x5b]);

/** What a wire needs of its surroundings. */
export interface Ends extends Parties {
  /** Lets bytes go on. */
  readonly pass: (way: Way, bytes: Buffer) => void;
  /** Asked once, when the first line was one of MCP: whether an SDK carries it, which is watched elsewhere. */
  readonly carried: () => boolean;
  /** The wire has recognised MCP: from now on both ways are to be handed to it. */
  readonly opened: (tap: LineTap) => void;
  /** The wire has nothing to do any more. */
  readonly closed: () => void;
  /** `stdio_servers`: why this server may not be talked to. */
  readonly refused?: () => Refusal | undefined;
}

export class Wire {
  readonly #sensor: Sensor;
  readonly #ends: Ends;
  readonly #lines: Readonly<Record<Way, Lines>> = { in: new Lines(), out: new Lines() };
  /** The way from client to server. */
  readonly #asking: Way;
  #tap: LineTap | undefined;
  #refusal: Refusal | undefined;
  #closed = false;
  #waiting = false;

  constructor(sensor: Sensor, ends: Ends) {
    this.#sensor = sensor;
    this.#ends = ends;
    this.#asking = ends.role === 'server' ? 'in' : 'out';
  }

  /** Takes bytes of one way; what may go on does so before this returns, or when its line has ended. */
  take(way: Way, chunk: Buffer): void {
    if (this.#closed) return this.#ends.pass(way, chunk);
    if (this.#tap === undefined && (way !== this.#asking || !this.#undecided(chunk)))
      return this.#ends.pass(way, chunk);
    for (const line of this.#lines[way].push(chunk)) this.#line(way, line);
    if (this.#closed) this.#release();
    else if (this.#tap === undefined && this.#lines[way].holding) this.#wait();
  }

  /** One way has ended: what is held of its last line is a line. */
  end(way: Way): void {
    const held = this.#lines[way].take();
    if (held.length > 0) this.#line(way, held);
  }

  /** Whether `chunk` may be, or go on, a first line of JSON. */
  #undecided(chunk: Buffer): boolean {
    const { holding } = this.#lines[this.#asking];
    const first = firstByte(chunk);
    if (holding || (first !== undefined && OPENING.has(first))) return true;
    if (first !== undefined) this.#close();
    return false;
  }

  #line(way: Way, bytes: Buffer): void {
    if (this.#closed) return this.#ends.pass(way, bytes);
    if (this.#tap === undefined && !this.#opens(bytes)) {
      this.#close();
      return this.#ends.pass(way, bytes);
    }
    if (this.#refusal !== undefined) return this.#refuse(way, bytes, this.#refusal);
    this.#tap?.line(way, bytes);
  }

  #opens(bytes: Buffer): boolean {
    const read = messagesIn(bytes);
    if (read === undefined || !read.messages.some(opensMcp) || this.#ends.carried()) return false;
    const { pass, role, server } = this.#ends;
    this.#tap = new LineTap(this.#sensor, { role, ...(server === undefined ? {} : { server }) }, pass);
    this.#refusal = this.#ends.refused?.();
    this.#ends.opened(this.#tap);
    return true;
  }

  /** A server that may not be talked to hears nothing; its client is told. */
  #refuse(way: Way, bytes: Buffer, refusal: Refusal): void {
    if (way !== this.#asking) return;
    for (const { id, method } of messagesIn(bytes)?.messages ?? []) {
      if (method === undefined || (typeof id !== 'string' && typeof id !== 'number')) continue;
      const answer = Buffer.from(`${JSON.stringify(denialMessage(id, refusal))}\n`);
      queueMicrotask(() => this.#ends.pass(way === 'in' ? 'out' : 'in', answer));
    }
  }

  /** A program that takes JSON without an end of line must not wait for one for ever. */
  #wait(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    setTimer(() => {
      if (this.#tap !== undefined || this.#closed) return;
      this.#close();
      this.#release();
    }, PATIENCE).unref();
  }

  #close(): void {
    this.#closed = true;
    this.#ends.closed();
  }

  #release(): void {
    for (const way of ['in', 'out'] as const) {
      const held = this.#lines[way].take();
      if (held.length > 0) this.#ends.pass(way, held);
    }
  }
}
