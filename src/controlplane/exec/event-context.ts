import type { PolicyRef, SandboxRef } from '../../core/events.ts';
import type { ControlledSandbox } from '../sandboxes/control.ts';

/** Whose event it is, as the control plane knows it. */
export interface EventContext {
  readonly sandbox: SandboxRef;
  readonly policy: PolicyRef | undefined;
}

export function contextOf({ record, containerId, policy }: ControlledSandbox): EventContext {
  const { sandboxId, name } = record;
  const container = containerId === undefined ? {} : { container_id: containerId };
  return { sandbox: { sandbox_id: sandboxId, name, ...container }, policy: policy.ref };
}

/** One that this control plane was not told of yet: it has just taken the helper over. */
export function unknownSandbox(sandboxId: string): EventContext {
  return { sandbox: { sandbox_id: sandboxId }, policy: undefined };
}
