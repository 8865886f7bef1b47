import type { EventClass } from '../../core/events.ts';
import type { Clock } from '../../core/ports.ts';

/** Figures of the export, for `ucpd status`. */
export interface ExportState {
  /** `suspended`: the receiver refuses everything (address, credentials); `retrying`: it can't be reached or is busy. */
  readonly state: 'off' | 'ok' | 'retrying' | 'suspended';
  /** Milliseconds since the epoch; null before the first. */
  readonly last_success: number | null;
  readonly last_error: string | null;
  readonly failures: number;
  readonly requests: number;
  readonly exported: Readonly<Record<EventClass, number>>;
  /** Dropped by the receiver (partial success). */
  readonly rejected: number;
  readonly dead_lettered: number;
}

/** How the export is doing. */
export class ExportHealth {
  readonly exported: Record<EventClass, number> = { critical: 0, normal: 0 };
  rejected = 0;
  deadLettered = 0;
  requests = 0;
  /** The receiver itself asked for the pause that is under way. */
  asked = false;
  readonly #clock: Clock;
  #state: ExportState['state'] = 'ok';
  #failures = 0;
  #failingSince = 0;
  #lastSuccess: number | null = null;
  #lastError: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  retrying(reason: string, asked: boolean): void {
    this.asked = asked;
    this.#failed('retrying', reason);
  }

  suspended(reason: string): void {
    this.asked = false;
    this.#failed('suspended', reason);
  }

  /** A request was taken; returns the outage that it ended, if one. */
  taken(): { readonly seconds: number; readonly attempts: number; readonly reason: string } | undefined {
    const outage = {
      seconds: Math.round((this.#clock.monotonic() - this.#failingSince) / 1000),
      attempts: this.#failures,
      reason: this.#lastError ?? '',
    };
    this.#lastSuccess = this.#clock.now();
    this.#state = 'ok';
    this.#failures = 0;
    this.asked = false;
    return outage.attempts > 0 ? outage : undefined;
  }

  state(): ExportState {
    return {
      state: this.#state,
      last_success: this.#lastSuccess,
      last_error: this.#lastError,
      failures: this.#failures,
      requests: this.requests,
      exported: { ...this.exported },
      rejected: this.rejected,
      dead_lettered: this.deadLettered,
    };
  }

  #failed(state: ExportState['state'], reason: string): void {
    if (this.#failures === 0) this.#failingSince = this.#clock.monotonic();
    this.#failures++;
    this.#state = state;
    this.#lastError = reason;
  }
}
