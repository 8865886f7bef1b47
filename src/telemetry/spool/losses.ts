import type { EventClass, NewEvent } from '../../core/events.ts';
import type { StoredEvent } from '../event/stored-event.ts';

/** Events that will never be exported, and why. */
export interface Lost {
  readonly class: EventClass;
  readonly boot: string;
  /** Sequence numbers: all that were lost lie between these, both included. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** `spool_full`: bounded disk; `memory_full`: bounded memory; `damaged`: unreadable. */
  readonly reason: 'spool_full' | 'memory_full' | 'damaged';
}

/** Collects losses until they can be reported; neighbours of one reason become one report. */
export class Losses {
  #pending = new Map<string, Lost>();
  readonly #totals = new Map<string, number>();

  add(lost: Lost): void {
    this.#merge(lost);
    const total = `${lost.class}.${lost.reason}`;
    this.#totals.set(total, (this.#totals.get(total) ?? 0) + lost.count);
  }

  /** A report that is itself lost: what it told of is told again. Other events are none of ours. */
  restore(event: StoredEvent): void {
    if (event.name !== 'export_gap') return;
    const { class: cls, boot, from_seq: from, to_seq: to, count, reason } = event.body;
    const known = (['spool_full', 'memory_full', 'damaged'] as const).find((one) => one === reason);
    if (typeof boot !== 'string' || typeof from !== 'number' || typeof to !== 'number') return;
    if (typeof count !== 'number' || known === undefined) return;
    this.#merge({ class: cls === 'critical' ? 'critical' : 'normal', boot, from, to, count, reason: known });
  }

  /** The events that report what was lost since the last call. */
  report(): readonly NewEvent[] {
    const lost = [...this.#pending.values()];
    this.#pending = new Map();
    return lost.map((one) => ({
      name: 'export_gap',
      domain: 'telemetry',
      severity: one.class === 'critical' ? 'ERROR' : 'WARN',
      class: 'critical',
      scope: 'ucpd.telemetry',
      body: {
        class: one.class,
        boot: one.boot,
        from_seq: one.from,
        to_seq: one.to,
        count: one.count,
        reason: one.reason,
      },
    }));
  }

  /** Lost so far, by `<class>.<reason>`. */
  totals(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#totals);
  }

  #merge(lost: Lost): void {
    const key = `${lost.boot} ${lost.class} ${lost.reason}`;
    const { from, to, count } = this.#pending.get(key) ?? { ...lost, count: 0 };
    const merged = { from: Math.min(from, lost.from), to: Math.max(to, lost.to), count: count + lost.count };
    this.#pending.set(key, { ...lost, ...merged });
  }
}
