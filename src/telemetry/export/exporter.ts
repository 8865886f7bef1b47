import type { Clock } from '../../core/ports.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { Delivery } from './delivery.ts';
import { Pause } from './pause.ts';

/** Where events come from. */
export interface Source {
  take(maxRecords: number, maxBytes: number): Promise<readonly StoredEvent[]>;
  release(): void;
}

/** How events are put together into requests. */
export interface BatchLimits {
  readonly records: number;
  /** Of the events' JSON; the request is about as large before compression. */
  readonly bytes: number;
  /** Milliseconds that the first event of a batch waits for others. */
  readonly delay: number;
}

/** Moves events from the spool to the receiver for as long as it lives. */
export class Exporter {
  readonly #source: Source;
  readonly #limits: BatchLimits;
  readonly #clock: Clock;
  readonly #idle: Pause;
  #delivery: Delivery | undefined;
  readonly #load: () => Promise<Delivery>;
  #stopped = false;
  /** Asleep with nothing to send, as opposed to letting a batch fill. */
  #waiting = false;
  #loop: Promise<void> | undefined;
  /** Something came since the last look. */
  #news = false;
  #flushing = 0;
  #emptied: (() => void)[] = [];

  /** `load` makes the delivery when there is something to deliver for the first time. */
  constructor(source: Source, limits: BatchLimits, clock: Clock, load: () => Promise<Delivery>) {
    this.#source = source;
    this.#limits = limits;
    this.#clock = clock;
    this.#idle = new Pause(clock);
    this.#load = load;
  }

  /** Begins to take; before that, nothing is. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** There is something to take. */
  wake(): void {
    this.#news = true;
    if (this.#waiting) this.#idle.end();
  }

  /** Tries at once to send all there is; true when it was sent within `ms`. */
  async flush(ms: number): Promise<boolean> {
    if (this.#stopped) return false;
    this.#flushing++;
    const deadline = new Pause(this.#clock);
    const emptied = new Promise<boolean>((done) => this.#emptied.push(() => done(true)));
    this.wake();
    this.#idle.end();
    this.#delivery?.hurry();
    const result = await Promise.race([emptied, deadline.wait(ms).then(() => false)]);
    deadline.end();
    this.#flushing--;
    return result;
  }

  /** Ends the request under way; what it held stays with the source. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#delivery?.stop();
    this.#idle.end();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#news = false;
      const events = await this.#source.take(this.#limits.records, this.#limits.bytes);
      if (events.length > 0) await this.#deliver(events);
      else if (!this.#news) await this.#rest();
      // A turn of the event loop for whoever makes the news.
      else await new Promise((turn) => setImmediate(turn));
    }
  }

  async #deliver(events: readonly StoredEvent[]): Promise<void> {
    this.#delivery ??= await this.#load();
    if (this.#stopped) return this.#source.release();
    if (!(await this.#delivery.deliver(events))) this.#source.release();
    // A short batch means that the sender keeps up: let the next one fill.
    const full = events.length >= this.#limits.records;
    if (!full && this.#flushing === 0 && !this.#stopped) await this.#idle.wait(this.#limits.delay);
  }

  /** Nothing left: sleeps until `wake`, then lets the first batch fill. */
  async #rest(): Promise<void> {
    for (const done of this.#emptied.splice(0)) done();
    if (this.#stopped) return;
    this.#waiting = true;
    await this.#idle.wait();
    this.#waiting = false;
    if (this.#flushing === 0 && !this.#stopped) await this.#idle.wait(this.#limits.delay);
  }
}
