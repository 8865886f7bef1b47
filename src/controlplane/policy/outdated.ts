import { toErrorRecord, toUcpError, type ErrorRecord } from '../../core/errors.ts';
import type { NewEvent } from '../../core/events.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import { errorBody } from '../sandboxes/sandbox-events.ts';
import type { LoadedPolicy } from './loaded-policy.ts';

/** A sandbox that runs with something that the policy in force no longer permits and that can't change while it runs. */
export interface Outdated {
  readonly sandbox: Sandbox;
  readonly error: ErrorRecord;
}

/**
 * Sandboxes among these whose request `policy` would refuse now: mounts, namespaces, limits and the like are fixed at
 * their creation. They go on under the rules that can change; their next start is refused.
 */
export function outdatedSandboxes(
  sandboxes: readonly Sandbox[],
  policy: LoadedPolicy,
  decide: (request: Sandbox['record']['request'], policy: LoadedPolicy) => unknown,
): readonly Outdated[] {
  return sandboxes.flatMap((sandbox) => {
    const { request } = sandbox.record;
    if (!sandbox.alive || request.policyFile !== undefined) return [];
    try {
      decide(request, policy);
      return [];
    } catch (thrown) {
      return [{ sandbox, error: toErrorRecord(toUcpError(thrown)) }];
    }
  });
}

/** Says so to the operator. */
export function outdatedEvent({ sandbox, error }: Outdated, policy: LoadedPolicy): NewEvent {
  return {
    name: 'sandbox_outdated',
    domain: 'sandbox',
    severity: 'WARN',
    class: 'critical',
    scope: 'ucp.controlplane.sandboxes',
    sandbox: sandbox.ref,
    policy: policy.ref,
    body: { error: errorBody(error), image: sandbox.record.request.image },
  };
}
