import type { PolicyRef } from '../../core/events.ts';
import { LABEL, LABEL_PREFIX } from '../../core/labels.ts';
import type { SandboxRecord } from '../sandboxes/record.ts';

/** The labels of a sandbox's container: the user's own, and ours, which none of them can replace. */
export function sandboxLabels(
  record: SandboxRecord,
  policy: PolicyRef,
  owner: string,
): Readonly<Record<string, string>> {
  const { request, lease } = record;
  const users = Object.entries(request.labels).filter(([key]) => !key.startsWith(LABEL_PREFIX));
  const degraded = record.degraded.filter(({ consent }) => consent === 'allowed').map(({ control }) => control);
  return {
    ...Object.fromEntries(users),
    [LABEL.sandbox]: record.sandboxId,
    [LABEL.name]: record.name,
    [LABEL.mode]: request.mode,
    [LABEL.owner]: owner,
    [LABEL.lease]: `${lease.bootId}:${lease.pid}:${lease.startTime}`,
    [LABEL.policyId]: policy.policy_id,
    [LABEL.policyVersion]: String(policy.version),
    [LABEL.policyDigest]: policy.digest,
    [LABEL.policyGeneration]: String(policy.generation),
    [LABEL.remove]: String(request.remove || request.mode === 'attached'),
    ...(record.shared.length === 0 ? {} : { [LABEL.shared]: record.shared.join(',') }),
    ...(degraded.length === 0 ? {} : { [LABEL.degraded]: degraded.join(',') }),
  };
}
