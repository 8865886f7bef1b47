import { isUserHook } from '../../core/env-hooks.ts';
import type { DegradedControl } from '../../core/plan.ts';
import type { LeaseHolder } from '../../core/protocol.ts';
import type { RunRequest } from '../../core/run-request.ts';

/** What the control plane remembers of a sandbox across its own restarts. */
export interface SandboxRecord {
  readonly sandboxId: string;
  readonly name: string;
  readonly lease: LeaseHolder;
  /** Without the values of its environment: they may be secrets. */
  readonly request: RunRequest;
  readonly degraded: readonly DegradedControl[];
  /** Namespaces that are not isolated. */
  readonly shared: readonly string[];
  /** Digest of the policy in force when the sandbox was prepared. */
  readonly policyDigest: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

/**
 * `request` as it may be stored: values of the environment are emptied, except those of injection hooks, whose value
 * decides whether a policy permits them.
 */
export function storable(request: RunRequest): RunRequest {
  const env = Object.entries(request.env).map(([name, value]) => [name, isUserHook(name, value) ? value : '']);
  return { ...request, env: Object.fromEntries(env) };
}
