import type { ViolationRef } from '../../core/events.ts';
import type { PlanNote } from '../../core/plan.ts';
import type { MountRequest, Namespace } from '../../core/run-request.ts';

/** What policy's `options` section left of a request. */
export interface DecidedOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly MountRequest[];
  readonly user?: string | undefined;
  readonly namespaces: Readonly<Record<Namespace, boolean>>;
  readonly limits: { readonly memory: number; readonly cpus: number; readonly pids: number };
  readonly notes: readonly PlanNote[];
  /** What broke a rule that is only observed. */
  readonly observed: readonly ViolationRef[];
}
