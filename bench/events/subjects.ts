import { randomUUID } from 'node:crypto';

import type { Clock } from '../../src/core/ports.ts';
import { event, type Load, type Report } from './load.ts';

/** Something that events are given to. */
export interface Emitting {
  emit(n: number): void;
  /** Delivers the rest within `ms`; returns what was lost by its own account. */
  finish(ms: number): Promise<Report['lost']>;
}

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};

/** UCP's telemetry with its defaults. */
export async function ucpSubject({ url, stateDir }: Load): Promise<Emitting> {
  const { openTelemetry } = await import('../../src/telemetry/index.ts');
  const telemetry = openTelemetry({ stateDir, eventUrl: url, clock });
  return {
    emit: (n) => telemetry.emit(event(n)),
    finish: async (ms) => {
      // Twice: what the first could not deliver for a while is tried again until the time is up.
      const end = performance.now() + ms;
      while (!(await telemetry.flush(Math.max(0, end - performance.now()))) && performance.now() < end);
      await telemetry.close(1000);
      return telemetry.counters().lost;
    },
  };
}

/** OpenTelemetry's own batch processor and OTLP exporter with their defaults, given the same content. */
export async function openTelemetrySubject({ url }: Load): Promise<Emitting> {
  const [{ BatchLogRecordProcessor, LoggerProvider }, { OTLPLogExporter }] = await Promise.all([
    import('@opentelemetry/sdk-logs'),
    import('@opentelemetry/exporter-logs-otlp-proto'),
  ]);
  const exporter = new OTLPLogExporter({ url: `${url}/v1/logs` });
  const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] });
  const logger = provider.getLogger('kernel_sensor');
  const seq = { critical: 0, normal: 0 };
  return {
    emit: (n) => {
      const { name, body, severity, violation, sandbox, policy } = event(n);
      const cls = violation === undefined ? 'normal' : 'critical';
      logger.emit({
        eventName: name,
        severityText: severity,
        body,
        attributes: {
          'log.record.uid': randomUUID(),
          'ucp.class': cls,
          'ucp.seq': ++seq[cls],
          'ucp.sandbox.id': sandbox?.sandbox_id,
          'container.id': sandbox?.container_id,
          'ucp.policy.id': policy?.policy_id,
          'ucp.policy.digest': policy?.digest,
          ...(violation && { 'ucp.violation.rule': violation.rule, 'ucp.violation.message': violation.message }),
        },
      });
    },
    finish: async (ms) => {
      await Promise.race([provider.forceFlush(), new Promise((done) => setTimeout(done, ms))]);
      return null;
    },
  };
}
