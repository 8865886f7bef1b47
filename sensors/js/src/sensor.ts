import type { Events } from './events/line.ts';
import type { Decider } from './policy/decider.ts';
import type { Settings } from './policy/settings.ts';
import type { Attribution } from './runtime/attribution.ts';

/** What every hook gets: the policy in force, the way out for events, and who caused what is happening. */
export interface Sensor {
  readonly events: Events;
  readonly attribution: Attribution;
  /** The policy in force; `undefined` until there is one. */
  decider(): Decider | undefined;
  /** What to observe besides MCP, by the policy in force; everything off until there is one. */
  settings(): Settings;
  /** `policy_id` of the policy in force. */
  policyId(): string;
  /** Tells of an error inside the sensor (invariant 5); never throws. */
  report(where: string, error: unknown): void;
}
