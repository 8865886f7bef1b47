import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { JsonObject, JsonValue } from '../../../../src/core/json.ts';
import type { StoredEvent } from '../../../../src/telemetry/event/stored-event.ts';
import type { SensorHost } from '../../helpers/sensor-run.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const TESTS = join(ROOT, 'sensors/python/tests');

/** What no two runs have in common (`OF_THE_RUN` of sensors/python/tests/e2e/test_golden.py). */
const OF_THE_RUN = new Set(['id', 'time', 'pid', 'duration_ms', 'event_id', 'mcp.session.id', 'request']);
/** What the golden files have of an event, and the control plane's log has, too. */
const OF_THE_EVENT = ['name', 'domain', 'scope', 'severity', 'body', 'attributes', 'violation'];

/** Flags of `run` by which the image of Debian's Python 3.11 has the packages of a virtual environment, and our tests. */
export function mounts(set: string): readonly string[] {
  const [found] = globSync(join(ROOT, '.cache/python', set, 'lib/python3*/site-packages'));
  if (found === undefined) throw new Error(`no packages of ${set}: scripts/setup-python.sh makes them`);
  return ['-v', `${TESTS}:/tests`, '-v', `${found}:/usr/local/lib/python3.11/dist-packages`];
}

/** What the sensors of one sandbox said, process by process, as the golden files have it: less what identifies a run. */
export async function eventsOf(host: SensorHost, sandbox: string, domain: string): Promise<readonly JsonObject[]> {
  const lines = (await host.ucpd(['logs', '--json'])).stdout.trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as StoredEvent)
    .filter((event) => event.domain === domain && event.sandbox?.name === sandbox)
    .toSorted((one, other) => inOrder(one.id, other.id))
    .map((event) => comparable(event as unknown as JsonObject));
}

/** The events of `sensors/python/tests/golden/<name>.json`: those of the same program on the host. */
export function golden(name: string): readonly JsonObject[] {
  const events = JSON.parse(readFileSync(join(TESTS, 'golden', `${name}.json`), 'utf8')) as readonly JsonObject[];
  return events.map(comparable);
}

/** With the libraries' ids numbered in the order in which they appear. */
export function numbered(events: readonly JsonObject[]): readonly JsonObject[] {
  const ids: string[] = [];
  const text = JSON.stringify(events).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `id ${ids.indexOf(id)}`;
  });
  return JSON.parse(text) as readonly JsonObject[];
}

/** Ids are the process, beginning with when it began, and a hexadecimal count of its events. */
function inOrder(one: string, other: string): number {
  const [process, count] = split(one);
  const [another, later] = split(other);
  return process.localeCompare(another) || count - later;
}

function split(id: string): readonly [process: string, count: number] {
  const at = id.lastIndexOf('-');
  return [id.slice(0, at), Number.parseInt(id.slice(at + 1), 16)];
}

function comparable(event: JsonObject): JsonObject {
  return settled(
    Object.fromEntries(Object.entries(event).filter(([name]) => OF_THE_EVENT.includes(name))),
  ) as JsonObject;
}

function settled(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value as JsonObject).filter(([name]) => !OF_THE_RUN.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, settled(item)]));
}
