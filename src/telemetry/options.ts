import type { EventSink } from '../core/events.ts';
import type { Clock } from '../core/ports.ts';
import type { BatchLimits } from './export/exporter.ts';
import type { ExportState } from './export/health.ts';
import type { ExportTarget } from './export/target.ts';
import type { LogLimits } from './log/writer.ts';
import type { SpoolLimits, SpoolState } from './spool/spool.ts';

/** Every bound of the telemetry room in one place. */
export interface TelemetryLimits {
  readonly spool: SpoolLimits;
  readonly batch: BatchLimits;
  readonly log: LogLimits;
  /** Bytes of one request before compression. */
  readonly requestBytes: number;
  /** Milliseconds for one attempt, from the connection to the last byte of the answer. */
  readonly requestTimeout: number;
}

const MiB = 1024 * 1024;

export const DEFAULT_LIMITS: TelemetryLimits = {
  spool: { diskBytes: 256 * MiB, segmentBytes: 2 * MiB, memoryBytes: 16 * MiB },
  batch: { records: 512, bytes: 4 * MiB, delay: 200 },
  log: { fileBytes: 8 * MiB, files: 4, memoryBytes: 4 * MiB },
  requestBytes: 64 * MiB,
  requestTimeout: 30_000,
};

export interface TelemetryOptions extends Partial<ExportTarget> {
  /** The log is kept in `log/` of it, the spool in `spool/`. */
  readonly stateDir: string;
  readonly clock: Clock;
  /** `id` defaults to a hash of /etc/machine-id. */
  readonly host?: { readonly id?: string; readonly name?: string };
  readonly limits?: { readonly [K in keyof TelemetryLimits]?: Partial<TelemetryLimits[K]> | TelemetryLimits[K] };
  /** Seams of tests; default: random UUIDs, Math.random. */
  readonly newId?: () => string;
  readonly random?: () => number;
}

/** Figures for `ucpd status`; kept without any receiver. */
export interface TelemetryCounters {
  readonly emitted: { readonly critical: number; readonly normal: number };
  /** Events that could not be written as JSON at all. */
  readonly invalid: number;
  /** Never to be exported, by `<class>.<reason>`. */
  readonly lost: Readonly<Record<string, number>>;
  readonly export: ExportState;
  /** Null while nothing is exported. */
  readonly spool: SpoolState | null;
  readonly log: { readonly dropped: number; readonly error: string | null };
}

/** Where all of UCP's events go. */
export interface Telemetry extends EventSink {
  counters(): TelemetryCounters;
  /** Exports to another place from now on, or nowhere: then events go to the local log only. Throws EVENT_URL. */
  setTarget(target: ExportTarget | undefined): void;
  /**
   * Resolves when every critical event emitted so far survives a crash: true when it is on disk to be exported (or,
   * without a target, in the log), false where the disk doesn't take it.
   */
  durable(): Promise<boolean>;
  /** Sends all there is at once; true when that succeeded within `ms`. */
  flush(ms: number): Promise<boolean>;
  /** Takes no more events, flushes for up to `ms`, leaves the rest on disk for the next start. */
  close(ms: number): Promise<void>;
}
