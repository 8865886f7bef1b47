import { randomUUID } from 'node:crypto';

import type { NewEvent } from '../../core/events.ts';
import type { SensorLine } from '../../core/sensor-protocol.ts';

/** Milliseconds that observability may wait for company. */
const LINGER = 50;
/** Events that may wait for the control plane. */
const MAX_WAITING = 4096;
/** Longest text of an attribute, UTF-16 units: a peer decides how long names are. */
const MAX_TEXT = 1024;

/** An event as the gateway writes it. */
export type GatewayEvent = Pick<NewEvent, 'name' | 'body' | 'attributes' | 'violation'> & {
  readonly domain: 'mcp';
  readonly severity?: SensorLine['severity'];
};

/** Takes lines to the control plane; rejects when it can't. */
export type Report = (lines: readonly SensorLine[]) => Promise<unknown>;

/**
 * Numbers the gateway's events and hands them to the control plane: violations at once, the rest in batches. While there
 * is no control plane they wait, bounded; what didn't fit is counted (invariant 4).
 */
export class GatewayEvents {
  readonly #report: Report;
  readonly #waiting: SensorLine[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  generation = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Returns the event's id. */
  emit({ name, domain, severity, body, attributes, violation }: GatewayEvent): string {
    const id = randomUUID();
    const line: SensorLine = {
      v: 1,
      id,
      time: Date.now(),
      name,
      domain,
      severity: severity ?? severityOf(violation),
      scope: 'gateway',
      body: shortened(body),
      ...(attributes === undefined ? {} : { attributes: shortened(attributes) }),
      ...(violation === undefined ? {} : { violation: { ...violation, message: cut(violation.message) } }),
      generation: this.generation,
    };
    this.#push(line, violation !== undefined);
    return id;
  }

  /** Resolves when all that can be handed over has been. */
  async flushed(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending;
    this.#send();
    await this.#sending;
  }

  #push(line: SensorLine, urgent: boolean): void {
    if (this.#waiting.length >= MAX_WAITING) {
      const victim = urgent ? this.#waiting.findIndex(({ violation }) => violation === undefined) : -1;
      this.#lost += 1;
      if (victim < 0) return;
      this.#waiting.splice(victim, 1);
    }
    this.#waiting.push(line);
    if (urgent) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), LINGER).unref();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    const lines = this.#waiting.splice(0);
    const [first, ...rest] = lines;
    const lost = this.#lost;
    this.#lost = 0;
    const told = lost === 0 || first === undefined ? lines : [{ ...first, lost }, ...rest];
    this.#sending = this.#report(told).then(
      () => this.#sent(),
      () => {
        // The control plane is gone; an id that arrives twice counts once.
        this.#waiting.unshift(...lines);
        this.#lost += lost + this.#waiting.splice(MAX_WAITING).length;
        this.#sending = undefined;
        this.#timer ??= setTimeout(() => this.#send(), LINGER * 10).unref();
      },
    );
  }

  #sent(): void {
    this.#sending = undefined;
    if (this.#waiting.some(({ violation }) => violation !== undefined)) this.#send();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), LINGER).unref();
  }
}

function severityOf(violation: GatewayEvent['violation']): SensorLine['severity'] {
  if (violation === undefined) return 'INFO';
  return violation.action === 'allowed' ? 'WARN' : 'ERROR';
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function shortened(fields: GatewayEvent['body']): GatewayEvent['body'] {
  // Nearly always nothing is long, and a copy of each event would be a good part of its price.
  if (Object.values(fields).every((value) => typeof value !== 'string' || value.length <= MAX_TEXT)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  );
}
