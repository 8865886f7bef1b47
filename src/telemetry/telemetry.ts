import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { EventClass, NewEvent } from '../core/events.ts';
import { VERSION } from '../core/version.ts';
import { classOf, storedLine } from './event/stored-event.ts';
import { Delivery } from './export/delivery.ts';
import { Exporter } from './export/exporter.ts';
import { ExportHealth } from './export/health.ts';
import { Pause } from './export/pause.ts';
import { logsUrl, type ExportTarget } from './export/target.ts';
import { hostId } from './host-id.ts';
import { LogWriter } from './log/writer.ts';
import {
  DEFAULT_LIMITS,
  type Telemetry,
  type TelemetryCounters,
  type TelemetryLimits,
  type TelemetryOptions,
} from './options.ts';
import type { Origin } from './otlp/mapping.ts';
import { DeadLetters } from './spool/dead-letters.ts';
import { Spool } from './spool/spool.ts';

/** Directory of the local log below the state directory: what `ucpd logs` reads. */
export function logDir(stateDir: string): string {
  return join(stateDir, 'log');
}

/** Opens log and, with `eventUrl`, spool and export. Returns at once; events are taken from then on. Throws EVENT_URL. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { eventUrl, headers, compression } = options;
  const emitter = new Emitter(options);
  if (eventUrl !== undefined)
    emitter.setTarget({ eventUrl, ...(headers && { headers }), ...(compression && { compression }) });
  return emitter;
}

class Emitter implements Telemetry {
  readonly #options: TelemetryOptions;
  readonly #limits: TelemetryLimits;
  readonly #origin: Origin;
  readonly #newId: () => string;
  readonly #log: LogWriter;
  readonly #health: ExportHealth;
  readonly #deadLetters: DeadLetters;
  readonly #sequence: Record<EventClass, number> = { critical: 0, normal: 0 };
  #invalid = 0;
  #late: Record<EventClass, number> = { critical: 0, normal: 0 };
  #state: 'open' | 'closing' | 'closed' = 'open';
  #spool: Spool | undefined;
  #exporter: Exporter | undefined;
  #switching: Promise<void> = Promise.resolve();

  constructor(options: TelemetryOptions) {
    const { stateDir, clock, host } = options;
    this.#options = options;
    this.#limits = withDefaults(options.limits);
    this.#newId = options.newId ?? randomUUID;
    this.#origin = {
      hostId: host?.id ?? hostId(),
      boot: randomUUID(),
      version: VERSION,
      ...(host?.name === undefined ? {} : { hostName: host.name }),
    };
    this.#log = new LogWriter(logDir(stateDir), this.#limits.log);
    this.#health = new ExportHealth(clock);
    this.#deadLetters = new DeadLetters(join(stateDir, 'spool', 'dead-letters.jsonl'));
  }

  emit(event: NewEvent): void {
    if (this.#state === 'open') this.#record(event);
    else this.#late[classOf(event)]++;
  }

  counters(): TelemetryCounters {
    return {
      emitted: { ...this.#sequence },
      invalid: this.#invalid,
      lost: { ...this.#spool?.losses.totals(), ...late(this.#late) },
      export: this.#exporter === undefined ? { ...this.#health.state(), state: 'off' } : this.#health.state(),
      spool: this.#spool?.state() ?? null,
      log: { dropped: this.#log.dropped, error: this.#log.error },
    };
  }

  setTarget(target: ExportTarget | undefined): void {
    if (this.#state !== 'open') return;
    if (target !== undefined) logsUrl(target.eventUrl);
    const { boot } = this.#origin;
    const before = this.#exporter;
    // The spool takes events from this very moment; its one reader changes when the old one has let go.
    const spool = target === undefined ? undefined : (this.#spool ?? this.#openSpool(boot));
    const left = spool === undefined ? this.#spool : undefined;
    const exporter = spool && target && this.#openExporter(spool, target);
    this.#spool = spool;
    this.#exporter = exporter;
    this.#switching = handOver(this.#switching, before, left, exporter);
  }

  async durable(): Promise<boolean> {
    if (this.#spool !== undefined) return this.#spool.durable();
    await this.#log.idle();
    return this.#log.error === null;
  }

  async flush(ms: number): Promise<boolean> {
    const deadline = new Pause(this.#options.clock);
    const done = Promise.race([this.#flushAll(ms), deadline.wait(ms).then(() => false)]);
    return done.finally(() => deadline.end());
  }

  async close(ms: number): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    if (ms > 0) await this.flush(ms);
    await this.#switching;
    await this.#exporter?.stop();
    await this.#spool?.close();
    this.#state = 'closed';
    await this.#deadLetters.idle();
    await this.#log.close();
  }

  async #flushAll(ms: number): Promise<boolean> {
    await this.#switching;
    await this.#log.idle();
    await this.#spool?.idle();
    return (await this.#exporter?.flush(ms)) ?? true;
  }

  /** Whatever an event holds, its maker goes on: what can't be recorded is counted. */
  #record(event: NewEvent): void {
    try {
      const cls = classOf(event);
      const seq = this.#sequence[cls] + 1;
      const stamp = { id: this.#newId(), now: this.#options.clock.now(), boot: this.#origin.boot, seq };
      const line = storedLine(event, stamp);
      this.#sequence[cls] = seq;
      this.#log.write(line);
      this.#spool?.push(cls, { seq, line, bytes: Buffer.byteLength(line) });
    } catch {
      this.#invalid++;
    }
  }

  #openSpool(boot: string): Spool {
    return new Spool({
      dir: join(this.#options.stateDir, 'spool'),
      boot,
      clock: this.#options.clock,
      limits: this.#limits.spool,
      report: (event) => this.#record(event),
      available: () => this.#exporter?.wake(),
    });
  }

  #openExporter(spool: Spool, target: ExportTarget): Exporter {
    const { clock, random = Math.random } = this.#options;
    return new Exporter(spool, this.#limits.batch, clock, async () => {
      const { createEncoder } = await import('./otlp/encoder.ts');
      const { HttpClient } = await import('./export/http-client.ts');
      return new Delivery({
        boot: this.#origin.boot,
        clock,
        random,
        newId: this.#newId,
        client: await HttpClient.create(target, clock, this.#limits.requestTimeout),
        encoder: createEncoder(this.#origin),
        health: this.#health,
        maxRequestBytes: this.#limits.requestBytes,
        settle: (events) => spool.settle(events),
        report: (event) => this.#record(event),
        bury: (event, reason) => this.#deadLetters.add(event, reason),
      });
    });
  }
}

/** After what is under way: the old exporter lets go, a spool that is not needed any more closes, the new one starts. */
async function handOver(busy: Promise<void>, before?: Exporter, left?: Spool, next?: Exporter): Promise<void> {
  await busy;
  await before?.stop();
  await left?.close();
  next?.start();
}

function withDefaults(limits: TelemetryOptions['limits'] = {}): TelemetryLimits {
  return {
    spool: { ...DEFAULT_LIMITS.spool, ...limits.spool },
    batch: { ...DEFAULT_LIMITS.batch, ...limits.batch },
    log: { ...DEFAULT_LIMITS.log, ...limits.log },
    requestBytes: limits.requestBytes ?? DEFAULT_LIMITS.requestBytes,
    requestTimeout: limits.requestTimeout ?? DEFAULT_LIMITS.requestTimeout,
  };
}

function late(counts: Readonly<Record<EventClass, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([cls, count]) => (count > 0 ? [[`${cls}.closed`, count]] : [])),
  );
}
