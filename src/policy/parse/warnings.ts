import { inherit } from '../schema/inherit.ts';
import type { Policy } from '../schema/policy.ts';
import { type Path, toPointer } from './problem.ts';

/** What is allowed to be written, and probably not meant. */
export interface Warning {
  readonly pointer: string;
  readonly message: string;
}

/** Warnings about a valid policy; `now` in milliseconds since the epoch. */
export function policyWarnings(policy: Policy, now: number): Warning[] {
  const { issued_at: issued, expires_at: expires, exec } = policy;
  const found = [...offButEnforcing(policy, [])];
  if (issued !== undefined && Date.parse(issued) > now) {
    found.push({ pointer: '/issued_at', message: `the policy is from the future: ${issued}` });
  }
  if (expires !== undefined && Date.parse(expires) <= now) {
    found.push({ pointer: '/expires_at', message: `the policy expired at ${expires}` });
  }
  const { enabled, mode } = inherit([exec]);
  if (enabled && mode === 'enforce' && exec?.allow_list?.length === 0) {
    found.push({ pointer: '/exec/allow_list', message: 'an empty list lets no program run, not even the entrypoint' });
  }
  return found;
}

function* offButEnforcing(section: object, path: Path): Generator<Warning> {
  if ('enable' in section && section.enable === false && 'remediate' in section && section.remediate === true) {
    yield { pointer: toPointer(path), message: 'the section says "remediate": true and is switched off' };
  }
  for (const [key, value] of Object.entries(section)) {
    if (isObject(value)) yield* offButEnforcing(value, [...path, key]);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
