import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../../../test/fakes/otlp-receiver.ts';
import type { NewEvent } from '../../core/events.ts';
import { field } from '../../core/unknown.ts';
import { openTelemetry, type Telemetry, type TelemetryOptions } from '../index.ts';
import { ManualClock } from './manual-clock.ts';

export interface Gap {
  readonly class: string;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly reason: string;
}

/** A state directory, a receiver and a clock of a test's own; disposing closes and removes them. */
export class Scene {
  readonly dir = mkdtempSync(join(tmpdir(), 'ucp-telemetry-'));
  readonly clock = new ManualClock();
  readonly receiver: OtlpReceiver;
  readonly #open: Telemetry[] = [];

  private constructor(receiver: OtlpReceiver) {
    this.receiver = receiver;
  }

  static async create(): Promise<Scene> {
    return new Scene(await startOtlpReceiver());
  }

  /**
   * Telemetry on the scene's directory, exporting to its receiver. The clock runs far ahead of real sockets, so
   * requests have no timeout unless the test sets one.
   */
  telemetry({ limits, ...options }: Partial<TelemetryOptions> = {}): Telemetry {
    const telemetry = openTelemetry({
      stateDir: this.dir,
      clock: this.clock,
      eventUrl: this.receiver.url,
      random: () => 0.5,
      limits: { requestTimeout: Number.MAX_SAFE_INTEGER, ...limits },
      ...options,
    });
    this.#open.push(telemetry);
    return telemetry;
  }

  /**
   * Waits until `condition` holds, in real time, while the scene's clock runs far ahead: every pause of the code
   * under test ends as soon as it begins.
   */
  async until(what: string, condition: () => boolean, step = 1000): Promise<void> {
    const deadline = performance.now() + 15_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new UcpError('INTERNAL', `never happened: ${what}`);
      await turns(20);
      this.clock.advance(step);
    }
  }

  /** Names of the accepted records, in the order of their arrival. */
  names(): readonly string[] {
    return this.receiver.records().map(({ eventName }) => eventName);
  }

  /** What the accepted `export_gap` records say. */
  gaps(): readonly Gap[] {
    return this.receiver
      .records()
      .filter(({ eventName }) => eventName === 'export_gap')
      .map(({ body }) => ({
        class: String(field(body, 'class')),
        from: Number(field(body, 'from_seq')),
        to: Number(field(body, 'to_seq')),
        count: Number(field(body, 'count')),
        reason: String(field(body, 'reason')),
      }));
  }

  /** How many events of `cls` were reported as lost. */
  lost(cls: string): number {
    return this.gaps().reduce((sum, gap) => sum + (gap.class === cls ? gap.count : 0), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const telemetry of this.#open) await telemetry.close(0);
    await this.receiver.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Lets I/O happen without time passing on any clock of ours. */
export async function turns(count: number): Promise<void> {
  for (let k = 0; k < count; k++) await new Promise((turn) => setImmediate(turn));
}

export function normal(n: number, fields: Partial<NewEvent> = {}): NewEvent {
  return { name: 'process_exec', domain: 'exec', severity: 'INFO', scope: 'kernel_sensor', body: { n }, ...fields };
}

export function critical(n: number, fields: Partial<NewEvent> = {}): NewEvent {
  return { name: 'sandbox_started', domain: 'sandbox', severity: 'INFO', scope: 'ucpd', body: { n }, ...fields };
}
