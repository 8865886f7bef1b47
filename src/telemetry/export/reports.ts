import type { NewEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoredEvent } from '../event/stored-event.ts';

const SCOPE = 'ucpd.telemetry';

/** The receiver takes other events but not this one. */
export function deadLettered(event: StoredEvent, reason: string): NewEvent {
  const body = {
    event_id: event.id,
    event_name: event.name,
    boot: event.boot,
    class: event.class,
    seq: event.seq,
    reason,
  };
  return report('export_dead_letter', 'ERROR', body);
}

/** The receiver took requests and dropped some of their records (partial success). */
export function rejected(count: number, message: string): NewEvent {
  return report('export_rejected', 'ERROR', { count, message });
}

/** The receiver is reached again after an outage. */
export function recovered(seconds: number, attempts: number, reason: string): NewEvent {
  return report('export_recovered', 'INFO', { seconds, attempts, reason });
}

/**
 * A harmless record of its own, sent alone after a refusal: whether the receiver takes this one decides if the refused
 * event is at fault or the address, the credentials or the receiver. It belongs to no stream.
 */
export function probe(id: string, boot: string, now: number): StoredEvent {
  return {
    ...report('export_probe', 'INFO', {}),
    id,
    boot,
    time: now,
    observed: now,
    class: 'normal',
    seq: 0,
  };
}

function report(name: string, severity: NewEvent['severity'], body: JsonObject): NewEvent {
  return { name, domain: 'telemetry', severity, class: 'critical', scope: SCOPE, body };
}
