import type { JsonObject } from '../../core/json.ts';
import { globListSource, inherit, type Policy } from '../../policy/index.ts';

/** What the helper needs to know of a policy: one anchored regex for each glob, so that a rule's index is the glob's. */
export interface KernelRules {
  readonly mode: 'observe' | 'enforce';
  readonly drift: 'allow' | 'deny';
  readonly deny: readonly string[];
  readonly allow: readonly string[] | null;
}

/** Ours, in the sandbox: health checks start with it, so an allow list must not have to name it. */
const INIT = '/.ucp/init';
/** An empty file of the engine's own; see canary.ts. */
export const PROBE = '/.dockerenv';

const sources = (globs: readonly string[]): readonly string[] => globs.map((glob) => globListSource([glob]));

/** Of each policy, once. */
const compiled = new WeakMap<Pick<Policy, 'exec'>, KernelRules | undefined>();

/**
 * The exec section for the helper; undefined where nothing is to be decided: it is off, or has no rule that anything
 * could break. What the helper itself needs is allowed after the policy's own globs. Throws GLOB_INVALID.
 */
export function kernelRules(policy: Pick<Policy, 'exec'>): KernelRules | undefined {
  if (!compiled.has(policy)) compiled.set(policy, compile(policy));
  return compiled.get(policy);
}

function compile({ exec }: Pick<Policy, 'exec'>): KernelRules | undefined {
  const { enabled, mode } = inherit([exec]);
  if (!enabled || exec === undefined) return undefined;
  const { deny_list: deny = [], allow_list: allow, drift = 'allow' } = exec;
  if (deny.length === 0 && allow === undefined && drift === 'allow') return undefined;
  return { mode, drift, deny: sources(deny), allow: allow === undefined ? null : sources([...allow, INIT, PROBE]) };
}

/** Only the probe is denied, and nothing else is decided. */
export const CANARY_RULES: KernelRules = {
  mode: 'enforce',
  drift: 'allow',
  deny: [globListSource([PROBE])],
  allow: null,
};

/** The rules as `attach` and `update` take them. */
export function asParams(rules: KernelRules, generation: number): JsonObject {
  return { ...rules, generation };
}

/** Where in the policy document a place of the helper's request or event came from. */
export function policyPointer(pointer: string): string {
  return pointer
    .replace(/^\/deny(?=\/|$)/, '/exec/deny_list')
    .replace(/^\/allow(?=\/|$)/, '/exec/allow_list')
    .replace(/^\/drift$/, '/exec/drift');
}
