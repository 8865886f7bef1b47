import type { ErrorRecord } from '../../core/errors.ts';
import type { NewEvent, PolicyRef, ViolationRef } from '../../core/events.ts';
import type { RunRequest } from '../../core/run-request.ts';
import { errorBody } from '../sandboxes/sandbox-events.ts';

const common = { domain: 'sandbox', class: 'critical', scope: 'ucp.controlplane.prepare' } as const;

/** A run that was refused before anything of it was made; a violation when a rule of the policy refused it. */
export function refusedEvent(request: RunRequest, policy: PolicyRef | undefined, error: ErrorRecord): NewEvent {
  const { pointer, message } = error;
  return {
    ...common,
    name: 'sandbox_refused',
    severity: 'ERROR',
    body: { error: errorBody(error), image: request.image, name: request.name ?? null, mode: request.mode },
    ...(policy === undefined ? {} : { policy }),
    ...(policy === undefined || pointer === undefined
      ? {}
      : { violation: { rule: pointer, mode: 'enforce', action: 'blocked', message } }),
  };
}

/** A run that broke a rule of a section that only observes. */
export function observedEvent(request: RunRequest, policy: PolicyRef, violation: ViolationRef): NewEvent {
  return {
    ...common,
    name: 'sandbox_violation',
    severity: 'WARN',
    body: { image: request.image, name: request.name ?? null, message: violation.message },
    policy,
    violation,
  };
}
