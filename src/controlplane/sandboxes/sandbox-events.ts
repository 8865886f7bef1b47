import type { ErrorRecord } from '../../core/errors.ts';
import type { NewEvent } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Sandbox } from './sandbox.ts';

const SCOPE = 'ucp.controlplane.sandboxes';

function event(name: string, sandbox: Sandbox, body: JsonObject, rest: Partial<NewEvent> = {}): NewEvent {
  const { policy } = sandbox;
  return {
    name,
    domain: 'sandbox',
    severity: 'INFO',
    class: 'critical',
    scope: SCOPE,
    sandbox: sandbox.ref,
    ...(policy === undefined ? {} : { policy: policy.ref }),
    body,
    ...rest,
  };
}

/** The workload was let go. */
export function startedEvent(sandbox: Sandbox, controls: readonly string[]): NewEvent {
  const { record } = sandbox;
  return event('sandbox_started', sandbox, {
    image: record.request.image,
    ...(sandbox.imageDigest === undefined ? {} : { image_digest: sandbox.imageDigest }),
    mode: record.request.mode,
    isolation_off: record.shared,
    degraded: record.degraded.map(({ control, reason, consent }) => ({ control, reason, consent })),
    controls,
    policy_source: sandbox.policy?.source ?? null,
  });
}

/** The main process ended. */
export function exitedEvent(sandbox: Sandbox, exitCode: number): NewEvent {
  return event('sandbox_exited', sandbox, { exit_code: exitCode, image: sandbox.record.request.image });
}

/** A workload that was prepared did not start. */
export function startRefusedEvent(sandbox: Sandbox, error: ErrorRecord): NewEvent {
  const body = { error: errorBody(error), image: sandbox.record.request.image };
  return event('sandbox_refused', sandbox, body, { severity: 'ERROR' });
}

/** The front end of an attached sandbox is gone; the sandbox is removed. */
export function leaseLostEvent(sandbox: Sandbox): NewEvent {
  return event('sandbox_lease_lost', sandbox, { state: sandbox.state, lease_pid: sandbox.record.lease.pid });
}

/** An error as the body of an event carries it. */
export function errorBody(error: ErrorRecord): JsonObject {
  const pointer: JsonValue = error.pointer ?? null;
  return { code: error.code, message: error.message, pointer };
}
