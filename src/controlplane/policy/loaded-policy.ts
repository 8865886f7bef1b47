import type { PolicyRef } from '../../core/events.ts';
import type { Plan } from '../../core/plan.ts';
import type { Policy } from '../../policy/index.ts';

/** A policy that was verified and validated, with where it comes from. */
export interface LoadedPolicy {
  readonly policy: Policy;
  readonly ref: PolicyRef;
  readonly source: Plan['policySource'];
  /** Size of the document in bytes. */
  readonly size: number;
  /** SHA-256 of the key that verified it; absent for the built-in default, which ships with the program. */
  readonly key?: string;
}
