import type { NewEvent } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';

/** What a sensor or helper could not tell of and counted: `body` says how much (`lost`; null: nobody knows) and why, where that is known. */
export function lossEvent(scope: string, whose: Pick<NewEvent, 'sandbox' | 'attributes'>, body: JsonObject): NewEvent {
  return {
    name: 'sensor_events_lost',
    domain: 'telemetry',
    severity: 'WARN',
    class: 'critical',
    scope,
    ...whose,
    body,
  };
}
