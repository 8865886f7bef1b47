import type { NewEvent, SandboxRef } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';

/** What a helper could not tell of and counted: `body` says how much (`lost`; null: nobody knows) and why, where that is known. */
export function helperLossEvent(scope: string, sandbox: SandboxRef | undefined, body: JsonObject): NewEvent {
  return {
    name: 'sensor_events_lost',
    domain: 'telemetry',
    severity: 'WARN',
    class: 'critical',
    scope,
    ...(sandbox === undefined ? {} : { sandbox }),
    body,
  };
}
