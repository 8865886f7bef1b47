import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SandboxRecord } from './record.ts';

/** A sandbox as a control sees it when it is put in force. */
export interface ControlledSandbox {
  readonly record: SandboxRecord;
  readonly containerId: string | undefined;
  /** The policy of this start: in force now, not when the sandbox was made. */
  readonly policy: LoadedPolicy;
  /**
   * Only at a start, while init waits: a process of the sandbox executes an empty file; resolves to execve's errno.
   * Absent: the workload runs.
   */
  readonly tryExec?: (path: string) => Promise<number>;
}

/**
 * Something that is put in force around a sandbox by the host (kernel rules, network rules), after init asked and
 * before the workload runs, on every start.
 */
export interface SandboxControl {
  /** As `--allow-degraded` names it. */
  readonly name: string;
  /** Why it can't be put in force on this host, as far as is known; undefined where it can. */
  readonly absence?: string | undefined;
  /** Rejects when the control is not in force: the workload then doesn't start. */
  apply(sandbox: ControlledSandbox): Promise<void>;
  /** True while it decides for this sandbox; absent: whenever `apply` resolved. */
  inForce?(sandboxId: string): boolean;
  /** The engine put a container that runs into a network, or took it out of one. */
  networksChanged?(sandboxId: string, containerId: string): Promise<void>;
  /** Gives back what `apply` took; called once for each start that ended, also when `apply` failed. */
  release(sandboxId: string): Promise<void>;
}

/** All but those that the user accepted to be without. One that only could not be observed is tried again. */
export function wantedControls(
  { degraded }: SandboxRecord,
  controls: readonly SandboxControl[],
): readonly SandboxControl[] {
  const without = new Set(degraded.filter(({ consent }) => consent === 'allowed').map(({ control }) => control));
  return controls.filter(({ name }) => !without.has(name));
}
