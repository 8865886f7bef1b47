import type { EventClass, NewEvent, UcpEvent } from '../../core/events.ts';
import { field } from '../../core/unknown.ts';
import { LIMITS, redactObject, redactString, type Limits } from './redact.ts';

/** An event as it is logged, spooled and exported: complete, redacted, numbered. */
export interface StoredEvent extends UcpEvent {
  /** When the emitter took it, milliseconds since the epoch; `time` is when it happened. */
  readonly observed: number;
  /** Id of the emitter's life; every start has a new one. */
  readonly boot: string;
  /** Position in the stream (boot, class): 1, 2, 3, …; a receiver proves a gap by a number that never came. */
  readonly seq: number;
}

/** What the emitter adds to an event. */
export interface Stamp {
  readonly id: string;
  readonly now: number;
  readonly boot: string;
  readonly seq: number;
}

/** Largest JSON text of one event, characters; some receivers cut records at 1 MB, ours stay well below. */
export const MAX_EVENT = 262_144;

const TIGHT: Limits = { text: 256, items: 16, depth: 4 };

/** DESIGN invariant 4: lifecycle, violations, losses and everything that is not plain INFO are critical. */
export function classOf(event: NewEvent): EventClass {
  if (event.class !== undefined) return event.class;
  const lifecycle = event.domain === 'pcm' || event.domain === 'sandbox' || event.domain === 'telemetry';
  return lifecycle || event.violation !== undefined || event.severity !== 'INFO' ? 'critical' : 'normal';
}

/** The JSON text (one line, no newline) of `event` with its stamp: what log, spool and exporter share. */
export function storedLine(event: NewEvent, stamp: Stamp): string {
  const line = JSON.stringify(complete(event, stamp, LIMITS));
  if (line.length <= MAX_EVENT) return line;
  const tight = JSON.stringify(complete(event, stamp, TIGHT));
  if (tight.length <= MAX_EVENT) return tight;
  const { attributes: _, ...rest } = event;
  return JSON.stringify(
    complete({ ...rest, body: { truncated: `[truncated: ${line.length} characters]` } }, stamp, TIGHT),
  );
}

function complete(event: NewEvent, stamp: Stamp, limits: Limits): StoredEvent {
  const { attributes, violation } = event;
  return {
    ...event,
    id: event.id ?? stamp.id,
    time: event.time ?? stamp.now,
    class: classOf(event),
    body: redactObject(event.body, limits),
    ...(attributes === undefined ? {} : { attributes: redactObject(attributes, limits) }),
    ...(violation === undefined
      ? {}
      : { violation: { ...violation, message: redactString(violation.message, limits) } }),
    observed: stamp.now,
    boot: stamp.boot,
    seq: stamp.seq,
  };
}

/** The event that `line` is the JSON of; undefined where it is something else. */
export function parseStored(line: string): StoredEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isStored(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Enough to know our own lines from torn ones; they are written by {@link storedLine} only. */
function isStored(value: unknown): value is StoredEvent {
  return (
    typeof field(value, 'id') === 'string' &&
    typeof field(value, 'name') === 'string' &&
    typeof field(value, 'seq') === 'number' &&
    typeof field(value, 'body') === 'object'
  );
}
