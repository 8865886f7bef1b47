import type { ErrorRecord } from '../../core/errors.ts';
import type { NewEvent, PolicyRef, Severity } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';

/** How this process came up: with the persisted policy, or without one. */
type StartupState = 'ColdStartup' | 'WarmStartup';

/** What all lifecycle events of a process have in common. */
export interface LifecycleFacts {
  readonly startupState: StartupState;
  /** Seconds between two checks. */
  readonly delay: number;
}

/** `error` in an event's body: null, or code, message and whether the next check may find it gone. */
function lifecycleError(error: ErrorRecord | undefined): JsonValue {
  if (error === undefined) return null;
  const { code, message, pointer } = error;
  const retryable =
    code === 'POLICY_SOURCE_UNREACHABLE' || code === 'POLICY_SOURCE_MISSING' || code === 'POLICY_SOURCE_DENIED';
  return { code, message, retryable, ...(pointer === undefined ? {} : { pointer }) };
}

/** A `policy_lifecycle` event (specification §6): severity, name, domain and scope are the same for all. */
function lifecycle(body: JsonObject, policy?: PolicyRef, severity: Severity = 'INFO'): NewEvent {
  return {
    name: 'policy_lifecycle',
    domain: 'pcm',
    severity,
    class: 'critical',
    scope: 'policy_control_manager',
    body,
    ...(policy === undefined ? {} : { policy }),
  };
}

/** The source was asked whether it has something newer. */
export function attemptEvent({ delay, startupState }: LifecycleFacts, error?: ErrorRecord): NewEvent {
  const body = { action: 'policy_download_attempt', delay, error: lifecycleError(error), startup_state: startupState };
  return lifecycle(body);
}

export function downloadStartedEvent({ startupState }: LifecycleFacts): NewEvent {
  return lifecycle({ action: 'policy_download_started', startup_state: startupState });
}

export function downloadCompletedEvent({ startupState }: LifecycleFacts, error?: ErrorRecord): NewEvent {
  const body = { action: 'policy_download_completed', error: lifecycleError(error), startup_state: startupState };
  return lifecycle(body);
}

/** The downloaded policy is in force. */
export function downloadSuccessEvent({ delay, startupState }: LifecycleFacts, policy: PolicyRef): NewEvent {
  return lifecycle({ action: 'policy_download_success', delay, error: null, startup_state: startupState }, policy);
}

/** The policy in force changed, wherever it came from. Size in bytes of the document. */
export function appliedEvent(policy: PolicyRef, facts: { source: string; size: number; key: string | null }): NewEvent {
  return lifecycle(
    { action: 'policy_applied', ...facts, digest: policy.digest, generation: policy.generation },
    policy,
  );
}

/** A candidate was not taken; `inForce` goes on. */
export function rejectedEvent(
  { startupState }: LifecycleFacts,
  error: ErrorRecord,
  digest: string,
  inForce: PolicyRef,
): NewEvent {
  const body = { action: 'policy_rejected', error: lifecycleError(error), digest, startup_state: startupState };
  return lifecycle(body, inForce, 'WARN');
}

/** The policy in force is enforced on although it expired or could not be checked for too long. */
export function staleEvent(policy: PolicyRef, reason: 'expired' | 'unchecked', since: number): NewEvent {
  return lifecycle({ action: 'policy_stale', reason, since: new Date(since).toISOString() }, policy, 'WARN');
}
