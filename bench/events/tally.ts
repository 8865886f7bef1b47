import type { ReceivedRecord } from '../../test/fakes/otlp-receiver-decode.ts';

/** What arrived of one run, counted as it comes: nothing of the records is kept. */
export class Tally {
  readonly unique = { critical: 0, normal: 0 };
  duplicates = 0;
  /** Records that arrived for the first time after a later one of their stream. */
  disordered = 0;
  /** Lost by the exporter's own reports. */
  reported = 0;
  readonly #seen = new Set<string>();
  readonly #last = { critical: 0, normal: 0 };

  add(record: ReceivedRecord): void {
    const { attributes, eventName, body } = record;
    const cls = attributes['ucp.class'] === 'critical' ? 'critical' : 'normal';
    const seq = Number(attributes['ucp.seq']);
    // The numbers, not the ids: a million of these fit in memory.
    const key = `${cls[0] ?? ''}${seq}`;
    if (this.#seen.has(key)) {
      this.duplicates++;
      return;
    }
    this.#seen.add(key);
    if (seq < this.#last[cls]) this.disordered++;
    this.#last[cls] = Math.max(this.#last[cls], seq);
    if (eventName === 'export_gap') this.reported += Number(Reflect.get(Object(body), 'count'));
    if (eventName === 'exec_violation' || eventName === 'process_exec') this.unique[cls]++;
  }
}
