import type { Side, Target } from '../policy/decider.ts';

/** A request that waits for its answer. */
export interface Pending {
  readonly method: string;
  readonly side: Side;
  readonly target: Target | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
}
