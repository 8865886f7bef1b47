import type { ViolationRef } from '../../core/events.ts';
import { isObject, stringAt } from './wire.ts';

/** JSON-RPC code of a refusal: free in MCP and A2A (DESIGN §11). */
const DENIED = -32010;

/** A rule that was broken; `advice` is one line that a model can act on. */
export interface Finding extends ViolationRef {
  readonly advice: string;
}

/** `error` of a refused request. Clients show its message to the model, so it is the advice, not the operator's wording. */
export function denialError(finding: Finding, policy: string, eventId: string) {
  return {
    code: DENIED,
    message: finding.advice,
    data: { rule: finding.rule, policy, event_id: eventId, message: finding.advice },
  };
}

/** Whether an `error` is a refusal by one of our sensors: by its data, the code alone may be somebody else's. */
export function isDenial(error: unknown): boolean {
  if (!isObject(error) || error['code'] !== DENIED) return false;
  const { data } = error;
  return stringAt(data, 'rule') !== undefined && stringAt(data, 'event_id') !== undefined;
}
