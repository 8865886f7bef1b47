import type { Channel, ChannelListener } from './channel.ts';
import type { Events, NewLine, PreparedLine } from './line.ts';
import { countLost, encodeLine, withLost } from './line.ts';
import { LineQueue } from './queue.ts';

const setTimer = setTimeout;
const now = Date.now;

/** Milliseconds that observability may wait for company. */
const LINGER = 50;

/** Bytes that go to the socket at once: less than its buffer, so that a cut line is rare. */
const CHUNK = 64 * 1024;

/** What a writer needs of a {@link Channel}. */
export type Outlet = Pick<Channel, 'begin' | 'write' | 'open'>;

/** What the writer needs of its surroundings. */
export interface WriterOptions {
  readonly nextId: () => string;
  readonly generation: () => number;
  /** Of this process, where the socket does not say who we are. */
  readonly pid?: number | undefined;
  /** Opens the way out; `undefined` when there is none. */
  readonly open: (on: Omit<ChannelListener, 'hint'>) => Outlet | undefined;
}

/**
 * Numbers events, keeps them in order and hands them to the channel: violations at once, the rest in batches. While
 * the socket takes nothing they wait in a bounded queue.
 */
export class EventWriter implements Events {
  readonly #options: WriterOptions;
  readonly #queue = new LineQueue();
  readonly #outlet: Outlet | undefined;
  #timer = false;
  /** The socket took nothing at the last attempt. */
  #full = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#outlet = options.open({ ready: () => this.flush(), lost: (lines) => this.#queue.addLost(countLost(lines)) });
  }

  emit(line: NewLine): string {
    const { nextId, generation, pid } = this.#options;
    const id = nextId();
    if (this.#outlet === undefined) return id;
    const critical = line.violation !== undefined;
    const text = encodeLine(line, { id, time: now(), generation: generation(), pid });
    this.#push(`${text}\n`, critical);
    return id;
  }

  emitPrepared(line: PreparedLine, values: string): void {
    if (this.#outlet === undefined) return;
    const { nextId, generation, pid } = this.#options;
    const end = pid === undefined ? '' : `,"pid":${pid}`;
    this.#push(
      `{"v":1,"id":"${nextId()}","time":${now()}${line.text}${values}},"generation":${generation()}${end}}\n`,
      false,
    );
  }

  begin(): void {
    this.#outlet?.begin();
  }

  /** Writes what waits, as far as the socket takes it. */
  flush(): void {
    const outlet = this.#outlet;
    if (outlet === undefined) return;
    outlet.begin();
    if (!outlet.open) return; // 'ready' follows
    while (!this.#queue.empty) {
      const { text, count } = this.#queue.peek(CHUNK);
      const { lost } = this.#queue;
      if (!outlet.write(withLost(text, lost))) {
        this.#full = true;
        return this.#later();
      }
      this.#queue.drop(count);
      this.#queue.addLost(-lost);
    }
    this.#full = false;
  }

  /** A program that never rests has no timers: what has come together leaves without one, unless there is no room. */
  #push(text: string, critical: boolean): void {
    this.#queue.push(text, critical);
    if (critical || (this.#queue.size > CHUNK && !this.#full)) this.flush();
    else this.#later();
  }

  #later(): void {
    if (this.#timer) return;
    this.#timer = true;
    setTimer(() => {
      this.#timer = false;
      this.flush();
    }, LINGER).unref();
  }
}
