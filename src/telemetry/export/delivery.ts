import type { NewEvent } from '../../core/events.ts';
import type { Clock } from '../../core/ports.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { Encoder } from '../otlp/encoder.ts';
import { backoff } from './backoff.ts';
import type { HttpClient } from './http-client.ts';
import type { ExportHealth } from './health.ts';
import { Pause } from './pause.ts';
import { deadLettered, probe, recovered, rejected } from './reports.ts';
import { verdict, type Verdict } from './verdict.ts';

export interface DeliveryOptions {
  readonly boot: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly client: HttpClient;
  readonly encoder: Encoder;
  readonly health: ExportHealth;
  /** Bytes of a request before compression; OTLP recommends 64 MiB. */
  readonly maxRequestBytes: number;
  /** These, the oldest, are done with. */
  readonly settle: (events: readonly StoredEvent[]) => void;
  readonly report: (event: NewEvent) => void;
  /** Keeps an event that the receiver will never take. */
  readonly bury: (event: StoredEvent, reason: string) => void;
}

/** Failed attempts in a row from which an outage is an event. */
const WORTH_TELLING = 3;

/**
 * Delivers batches, in order, until the receiver has them: no deadline, one request at a time. Stopping (`stop`)
 * leaves the rest with the caller, unsettled.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #pause: Pause;
  #stopped = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#pause = new Pause(options.clock);
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Cuts a pause between attempts short, unless the receiver asked for it. */
  hurry(): void {
    if (!this.#options.health.asked) this.#pause.end();
  }

  /** Ends everything now; `deliver` returns false. */
  stop(): void {
    this.#stopped = true;
    this.#options.client.close();
    this.#pause.end();
  }

  /** True when all of `events` are settled: taken, or known never to be. */
  async deliver(events: readonly StoredEvent[]): Promise<boolean> {
    const [first] = events;
    if (first === undefined) return true;
    const body = this.#encode(events);
    const unsendable = typeof body === 'string';
    const result: Verdict = unsendable ? { kind: 'refused', reason: body } : await this.#send(body);
    if (this.#stopped && result.kind !== 'taken') return false;
    if (result.kind === 'taken') {
      this.#taken(events, result.rejected, result.message);
      return true;
    }
    if (events.length > 1) {
      // Each half is another request, so this is no retry; a poisonous record ends up alone.
      const middle = Math.ceil(events.length / 2);
      return (await this.deliver(events.slice(0, middle))) && this.deliver(events.slice(middle));
    }
    return this.#judge(first, result.reason, unsendable);
  }

  /** The request's bytes, or why there can be none. */
  #encode(events: readonly StoredEvent[]): Uint8Array | string {
    try {
      const body = this.#options.encoder.encode(events);
      if (body.length <= this.#options.maxRequestBytes) return body;
      return `${body.length} bytes encoded, more than a request may have`;
    } catch (error) {
      return `can't be encoded: ${String(error)}`;
    }
  }

  /** One event was refused. Whether that is its own fault, a probe tells. */
  async #judge(event: StoredEvent, reason: string, unsendable: boolean): Promise<boolean> {
    if (!unsendable) {
      const { refusals, passed } = await this.#probe();
      if (!passed) return false;
      // The receiver refused everything for a while and doesn't any more: the event gets its chance.
      if (refusals > 0) return this.deliver([event]);
    }
    this.#options.bury(event, reason);
    this.#options.settle([event]);
    this.#options.health.deadLettered++;
    // A report that is itself refused is not reported again.
    if (event.domain !== 'telemetry') this.#options.report(deadLettered(event, reason));
    return true;
  }

  /** Sends a probe until it is taken. Between refusals of it, export is suspended; nothing is given up meanwhile. */
  async #probe(): Promise<{ refusals: number; passed: boolean }> {
    const { clock, health, encoder, newId, boot } = this.#options;
    for (let refusals = 0; ; refusals++) {
      const result = await this.#send(encoder.encode([probe(newId(), boot, clock.now())]));
      if (result.kind === 'taken') return { refusals, passed: true };
      if (this.#stopped) return { refusals, passed: false };
      health.suspended(result.reason);
      await this.#pause.wait(backoff(refusals + 1, undefined, this.#options.random));
      if (this.#stopped) return { refusals, passed: false };
    }
  }

  /** Repeats a request for as long as it may be repeated. */
  async #send(body: Uint8Array): Promise<Verdict> {
    const { client, clock, health, encoder, random, report } = this.#options;
    for (let failures = 1; ; failures++) {
      health.requests++;
      const outcome = await client.post(body);
      const result = verdict(outcome, clock.now(), (bytes) => encoder.decodeResponse(bytes));
      if (result.kind !== 'retry') {
        if (result.kind === 'taken') {
          const outage = health.taken();
          if (outage !== undefined && outage.attempts >= WORTH_TELLING)
            report(recovered(outage.seconds, outage.attempts, outage.reason));
        }
        return result;
      }
      if (this.#stopped) return result;
      health.retrying(result.reason, result.after !== undefined);
      await this.#pause.wait(backoff(failures, result.after, random));
      if (this.#stopped) return result;
    }
  }

  #taken(events: readonly StoredEvent[], count: number, message: string): void {
    const { health, settle, report } = this.#options;
    const lost = Math.min(count, events.length);
    for (const event of events) health.exported[event.class]++;
    health.rejected += lost;
    settle(events);
    // Reports alone in a request: telling of their loss would be lost the same way, for ever.
    if (lost > 0 && events.some((event) => event.domain !== 'telemetry')) report(rejected(lost, message.slice(0, 200)));
  }
}
