import { isImageHook } from '../../core/env-hooks.ts';
import type { Plan } from '../../core/plan.ts';

/** Environment for the spec, and the variables of the image that it takes away. */
export interface MergedEnvironment {
  /** `NAME=value` sets, `NAME` alone removes the image's value; the engine adds the rest of the image's. */
  readonly env: readonly string[];
  readonly dropped: readonly string[];
}

/**
 * Merges image, user and our own variables, the later one winning; list-like ones of ours go in front of what was
 * there. Injection hooks that only the image sets are removed (CT-03).
 */
export function mergeEnvironment(
  plan: Pick<Plan, 'env' | 'prependEnv' | 'userEnv'>,
  imageEnv: readonly string[],
): MergedEnvironment {
  const image = new Map(imageEnv.map(splitVariable));
  const set: Record<string, string> = { ...plan.userEnv, ...plan.env };
  const dropped = [...image].filter(([name, value]) => set[name] === undefined && isImageHook(name, value));
  for (const [name] of dropped) image.delete(name);
  for (const [name, { value, separator }] of Object.entries(plan.prependEnv)) {
    const present = set[name] ?? image.get(name) ?? '';
    set[name] = present === '' ? value : `${value}${separator}${present}`;
  }
  const removed = dropped.map(([name]) => name).filter((name) => set[name] === undefined);
  return {
    env: [...removed, ...Object.entries(set).map(([name, value]) => `${name}=${value}`)],
    dropped: dropped.map(([name]) => name),
  };
}

function splitVariable(variable: string): [string, string] {
  const at = variable.indexOf('=');
  return at === -1 ? [variable, ''] : [variable.slice(0, at), variable.slice(at + 1)];
}
