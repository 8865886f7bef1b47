import type { MountSettings } from 'dockerode';

import { INIT_PATH, type Plan, RUN_DIR } from '../../core/plan.ts';
import type { MountRequest } from '../../core/run-request.ts';

/** The mounts of a container spec: binds and volumes in one list, tmpfs by target. */
export interface CompiledMounts {
  readonly mounts: MountSettings[];
  readonly tmpfs: Record<string, string>;
}

/**
 * Mounts of the plan, with init and the run directory in front where the plan does not list them itself. A read-only
 * bind takes no sub-mounts of its source along unless the engine can make those read-only too (API 1.44, Linux 5.12):
 * they would stay writable.
 */
export function compileMounts(plan: Plan, engine: { readonly recursiveReadOnly: boolean }): CompiledMounts {
  const ours: readonly MountRequest[] = [
    { type: 'bind', source: plan.initPath, target: INIT_PATH, readOnly: true },
    { type: 'bind', source: plan.runDir, target: RUN_DIR, readOnly: true },
  ];
  const missing = ours.filter(({ target }) => !plan.mounts.some((mount) => mount.target === target));
  const all = [...missing, ...plan.mounts];
  const tmpfs = all.filter(({ type }) => type === 'tmpfs').map((mount) => [mount.target, tmpfsOptions(mount)]);
  return {
    mounts: all.filter(({ type }) => type !== 'tmpfs').map((mount) => mountSettings(mount, engine.recursiveReadOnly)),
    tmpfs: Object.fromEntries(tmpfs),
  };
}

function mountSettings(mount: MountRequest, recursiveReadOnly: boolean): MountSettings {
  const { source, target, readOnly } = mount;
  if (mount.type === 'volume') return { Type: 'volume', Source: source, Target: target, ReadOnly: readOnly };
  const readOnlyBind = recursiveReadOnly ? { ReadOnlyForceRecursive: true } : { NonRecursive: true };
  const BindOptions = { Propagation: 'rprivate' as const, ...(readOnly ? readOnlyBind : {}) };
  return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly, BindOptions };
}

function tmpfsOptions({ readOnly, options }: MountRequest): string {
  return [readOnly ? 'ro' : 'rw', ...(options === undefined || options === '' ? [] : [options])].join(',');
}
