import type { NewEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { field } from '../../core/unknown.ts';
import type { SegmentHeader } from './frame.ts';

/** A crash cut the last write to a file: what came after `after_seq` in that file was not on disk yet. */
export function spoolTorn(header: SegmentHeader, after: number, bytes: number): NewEvent {
  return report('spool_torn', 'WARN', { class: header.class, boot: header.boot, after_seq: after, bytes });
}

/** The spool can't be written: events are kept in memory. */
export function spoolDegraded(error: unknown): NewEvent {
  return report('spool_degraded', 'ERROR', { error: { code: codeOf(error), message: String(error) } });
}

/** The spool can be written again. */
export function spoolRestored(seconds: number): NewEvent {
  return report('spool_restored', 'INFO', { seconds });
}

export function diskFull(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
}

function codeOf(error: unknown): string | null {
  const code = field(error, 'code');
  return typeof code === 'string' ? code : null;
}

function report(name: string, severity: NewEvent['severity'], body: JsonObject): NewEvent {
  return { name, domain: 'telemetry', severity, class: 'critical', scope: 'ucpd.telemetry', body };
}
