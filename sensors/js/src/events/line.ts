import type { EventDomain, Severity, ViolationRef } from '../../../../src/core/events.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { SensorLine } from '../../../../src/core/sensor-protocol.ts';
import type { PreparedLine } from './prepared.ts';

/** An event as a hook writes it; the writer adds id, time, scope and generation. */
export interface NewLine {
  readonly name: string;
  readonly domain: EventDomain;
  readonly body: JsonObject;
  readonly attributes?: JsonObject;
  readonly violation?: ViolationRef;
  readonly severity?: Severity;
}

/** How a request ended that is told of. */
export type Outcome = 'ok' | 'tool_error' | 'error';

/** Takes events; never throws, never blocks. */
export interface Events {
  /** Returns the event's id. */
  emit(line: NewLine): string;
  /** Encodes what stays the same in events like `line`, whose body must not be empty. */
  prepare(line: NewLine): PreparedLine;
  /** `duration`: milliseconds; `more`: further members of the body as JSON text, each with a comma before it. */
  emitPrepared(line: PreparedLine, outcome: Outcome, duration: number, more?: string): void;
  /** Connects to the control plane, if that hasn't been done. */
  begin(): void;
  /** Writes what waits now, as far as the socket takes it. */
  flush(): void;
}

/** What a scope of {@link SensorLine} says for everything that this sensor writes. */
const SCOPE = 'js_sensor';

/** The severity that a violation asks for; INFO without one (DESIGN §7). */
function severityOf(line: NewLine): Severity {
  if (line.severity !== undefined) return line.severity;
  if (line.violation === undefined) return 'INFO';
  return line.violation.action === 'allowed' ? 'WARN' : 'ERROR';
}

/** What the writer adds to an event. */
export interface Stamp {
  readonly id: string;
  readonly time: number;
  readonly generation: number;
  readonly pid?: number | undefined;
}

/** The wire form of `line`. */
function toSensorLine(line: NewLine, { id, time, generation, pid }: Stamp): SensorLine {
  return {
    v: 1,
    id,
    time,
    name: line.name,
    domain: line.domain,
    severity: severityOf(line),
    scope: SCOPE,
    body: line.body,
    ...(line.attributes === undefined ? {} : { attributes: line.attributes }),
    ...(line.violation === undefined ? {} : { violation: line.violation }),
    generation,
    ...(pid === undefined ? {} : { pid }),
  };
}

/** `lines` with the count of lost ones at the end of the first. */
export function withLost(lines: Buffer, lost: number): Buffer {
  const end = lost === 0 ? -1 : lines.indexOf('}\n');
  return end === -1
    ? lines
    : Buffer.concat([lines.subarray(0, end), Buffer.from(`,"lost":${lost}`), lines.subarray(end)]);
}

/** How many lines are lost with `lines`: they themselves, and those whose loss they were to tell of. */
export function countLost(lines: string): number {
  const told = [...lines.matchAll(/,"lost":(\d+)\}\n/g)].map(([, count]) => Number(count));
  return told.reduce((sum, count) => sum + count, lines.split('\n').length - 1);
}

/** Longest line, UTF-16 units; the control plane takes 1 MiB. */
const MAX_LINE = 256 * 1024;

/** Longest attribute of a line that was too long. */
const MAX_ATTRIBUTE = 1024;

/**
 * JSON of one line. A body that is too long, or that JSON can't carry, is left out, not the event; a peer decides how
 * long names are, so attributes are cut then too.
 */
export function encodeLine(line: NewLine, stamp: Stamp): string {
  try {
    const text = JSON.stringify(toSensorLine(line, stamp));
    if (text.length <= MAX_LINE) return text;
    return JSON.stringify(toSensorLine(shortened(line, { left_out: text.length }), stamp));
  } catch {
    return JSON.stringify(toSensorLine(shortened(line, { unprintable: true }), stamp));
  }
}

/** What stays the same in lines like `line`: all that follows the time, up to the end of the body, which stays open. */
export function encodeAlike(line: NewLine): string {
  const { name, domain, severity, scope, body, attributes } = toSensorLine(line, { id: '', time: 0, generation: 0 });
  const rest = JSON.stringify({ name, domain, severity, scope, attributes }).slice(1, -1);
  const text = `${rest},"body":${JSON.stringify(body).slice(0, -1)}`;
  return text.length <= MAX_LINE ? text : encodeAlike(shortened(line, { left_out: text.length }));
}

function shortened(line: NewLine, body: JsonObject): NewLine {
  const attributes = Object.entries(line.attributes ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_ATTRIBUTE) : (value ?? null),
  ]);
  const { violation } = line;
  return {
    ...line,
    body,
    attributes: Object.fromEntries(attributes) as JsonObject,
    ...(violation === undefined
      ? {}
      : { violation: { ...violation, message: violation.message.slice(0, MAX_ATTRIBUTE) } }),
  };
}
