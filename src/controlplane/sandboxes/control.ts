import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SandboxRecord } from './record.ts';

/** A sandbox as a control sees it when it is put in force. */
interface ControlledSandbox {
  readonly record: SandboxRecord;
  readonly containerId: string | undefined;
  /** The policy of this start: in force now, not when the sandbox was made. */
  readonly policy: LoadedPolicy;
}

/**
 * Something that is put in force around a sandbox by the host (kernel rules, network rules), after init asked and
 * before the workload runs, on every start.
 */
export interface SandboxControl {
  /** As `--allow-degraded` names it. */
  readonly name: string;
  /** Rejects when the control is not in force: the workload then doesn't start. */
  apply(sandbox: ControlledSandbox): Promise<void>;
  /** Gives back what `apply` took; called once for each start that ended, also when `apply` failed. */
  release(sandboxId: string): Promise<void>;
}
