import type { HostConfig } from 'dockerode';

import type { Plan } from '../../core/plan.ts';
import type { RunRequest } from '../../core/run-request.ts';
import { compileMounts } from './mounts.ts';
import { compilePorts } from './ports.ts';

/** What the engine underneath can do; see {@link compileMounts}. */
export interface SpecEngine {
  readonly recursiveReadOnly: boolean;
}

const NANO = 1e9;
const NO_CORE = { Name: 'core', Soft: 0, Hard: 0 };

/**
 * The host's side of the container: hardening that no flag can widen (CT-02), limits, namespaces, mounts and ports.
 * Masked and read-only paths stay the engine's defaults by not being mentioned.
 */
export function compileHostConfig(plan: Plan, request: RunRequest, engine: SpecEngine): HostConfig {
  const { mounts, tmpfs } = compileMounts(plan, engine);
  const { limits } = plan;
  return {
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true', `seccomp=${plan.seccomp}`],
    PidsLimit: limits.pids,
    Memory: limits.memory,
    // The same as Memory: no swap on top of it.
    MemorySwap: limits.memory,
    NanoCpus: Math.round(limits.cpus * NANO),
    // CT-06: no core files of a sandbox on the host. With 1 the kernel starts no handler of core files either.
    Ulimits: [request.secrets === undefined ? NO_CORE : { ...NO_CORE, Soft: 1, Hard: 1 }],
    // What a program says of its secrets is redacted on its way; the engine's copy on disk would not be.
    ...(request.secrets === undefined || request.mode === 'detached'
      ? {}
      : { LogConfig: { Type: 'none', Config: {} } }),
    ...namespaces(plan, request),
    Mounts: mounts,
    Tmpfs: tmpfs,
    PortBindings: compilePorts(request.ports).bindings,
    // The container's PID 1 is ours already, and the control plane removes: see DESIGN §2.
    Init: false,
    AutoRemove: false,
    RestartPolicy: restartPolicy(request),
  };
}

/** Each namespace is the container's own unless the plan says that it is off (CT-04). */
function namespaces(plan: Plan, request: RunRequest): HostConfig {
  const { pid, ipc, uts, user, network } = plan.namespaces;
  return {
    PidMode: pid ? '' : 'host',
    IpcMode: ipc ? 'private' : 'host',
    UTSMode: uts ? '' : 'host',
    // '' is the engine's own choice, remapped where it is set up to remap: left only when the user asked for it.
    UsernsMode: user || request.isolation?.includes('user') !== true ? '' : 'host',
    NetworkMode: network ? (request.network ?? 'default') : 'host',
  };
}

function restartPolicy({ restart }: RunRequest): NonNullable<HostConfig['RestartPolicy']> {
  if (restart === undefined || restart.name === 'no') return { Name: 'no' };
  return { Name: restart.name, MaximumRetryCount: restart.retries ?? 0 };
}
