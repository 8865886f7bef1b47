import type { Channel, ChannelListener } from './channel.ts';
import { LONGEST_NUMBER } from './chunk.ts';
import type { EventIds } from './ids.ts';
import type { Events, NewLine, Outcome } from './line.ts';
import { countLost, encodeAlike, encodeLine, withLost } from './line.ts';
import { PreparedLine } from './prepared.ts';
import { LineQueue } from './queue.ts';

const setTimer = setTimeout;

/** Milliseconds that observability may wait for company. */
const LINGER = 50;

/** What follows the members of a prepared body, by how a request ended. */
const ENDINGS: Readonly<Record<Outcome, Buffer>> = {
  ok: ending('ok'),
  tool_error: ending('tool_error'),
  error: ending('error'),
};

function ending(outcome: Outcome): Buffer {
  return Buffer.from(`,"outcome":"${outcome}","duration_ms":`);
}

const NOTHING = Buffer.alloc(0);

/** What a writer needs of a {@link Channel}. */
export type Outlet = Pick<Channel, 'begin' | 'write' | 'open'>;

/** What the writer needs of its surroundings. */
export interface WriterOptions {
  readonly ids: EventIds;
  readonly generation: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
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
  #ended = { generation: -1, bytes: NOTHING };
  /** The socket took nothing at the last attempt. */
  #full = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#outlet = options.open({ ready: () => this.flush(), lost: (lines) => this.#queue.addLost(countLost(lines)) });
  }

  emit(line: NewLine): string {
    const { ids, generation, now, pid } = this.#options;
    const id = ids.next();
    if (this.#outlet === undefined) return id;
    const critical = line.violation !== undefined;
    const text = encodeLine(line, { id, time: now(), generation: generation(), pid });
    const bytes = Buffer.from(`${text}\n`, 'utf8');
    // The socket may have become free since: nothing is lost for a violation that it can take before.
    if (critical && !this.#queue.fits(bytes.length)) this.flush();
    this.#queue.push(bytes, critical);
    this.#pushed(critical);
    return id;
  }

  prepare(line: NewLine): PreparedLine {
    return new PreparedLine(this.#options.ids.first, encodeAlike(line));
  }

  emitPrepared(line: PreparedLine, outcome: Outcome, duration: number, more = ''): void {
    if (this.#outlet === undefined) return;
    const { ids, generation, now } = this.#options;
    const start = ENDINGS[outcome];
    const last = more === '' ? NOTHING : Buffer.from(more);
    const end = this.#end(generation());
    const chunk = this.#queue.room(line.length + start.length + LONGEST_NUMBER + last.length + end.length, false);
    if (chunk !== undefined) {
      line.put(chunk, ids.nextCount(), now());
      chunk.put(start);
      chunk.putNumber(duration);
      if (last !== NOTHING) chunk.put(last);
      chunk.put(end);
      chunk.endLine();
    }
    this.#pushed(false);
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
      const { lost } = this.#queue;
      if (!outlet.write(withLost(this.#queue.peek(), lost))) {
        this.#full = true;
        return this.#later();
      }
      this.#queue.drop();
      this.#queue.addLost(-lost);
    }
    this.#full = false;
  }

  /** A program that never rests has no timers: what has come together leaves without one, unless there is no room. */
  #pushed(critical: boolean): void {
    if (critical || (this.#queue.long && !this.#full)) this.flush();
    else this.#later();
  }

  /** The end of a prepared line. */
  #end(generation: number): Buffer {
    if (this.#ended.generation !== generation) {
      const { pid } = this.#options;
      const rest = pid === undefined ? '' : `,"pid":${pid}`;
      this.#ended = { generation, bytes: Buffer.from(`},"generation":${generation}${rest}}\n`) };
    }
    return this.#ended.bytes;
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
