import type { Plan } from '../../core/plan.ts';
import { PLAIN_RUN, type RunRequest } from '../../core/run-request.ts';
import type { ImageFacts } from '../../engine/engine.ts';

/** The smallest plan; tests say what differs. */
export function planOf(more: Partial<Plan> = {}): Plan {
  return {
    sandboxId: 'abc123def456',
    name: 'box',
    policy: { policy_id: 'p', version: 1, digest: 'sha256:00', generation: 3 },
    policySource: 'built-in',
    runDir: '/state/sandboxes/abc/run',
    initPath: '/opt/ucp-init',
    labels: { 'ucp.sandbox': 'abc123def456' },
    env: { UCP_SANDBOX_ID: 'abc123def456' },
    prependEnv: {},
    userEnv: {},
    mounts: [],
    namespaces: { pid: true, ipc: true, uts: true, user: true, network: true },
    limits: { memory: 1024, cpus: 1.5, pids: 64 },
    seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
    notes: [],
    degraded: [],
    warnings: [],
    ...more,
  };
}

/** The smallest request. */
export function requestOf(more: Partial<RunRequest> = {}): RunRequest {
  return { ...PLAIN_RUN, image: 'img', remove: true, ...more };
}

/** The smallest image. */
export function imageOf(more: Partial<ImageFacts> = {}): ImageFacts {
  return {
    id: 'sha256:image',
    entrypoint: [],
    cmd: ['sh'],
    env: [],
    user: '',
    workdir: '',
    labels: {},
    volumes: [],
    platform: 'linux/amd64',
    ...more,
  };
}
