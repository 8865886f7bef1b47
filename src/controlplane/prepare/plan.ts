import {
  INIT_PATH,
  type Plan,
  type PlanNote,
  RUN_DIR,
  SENSOR_POLICY,
  SENSOR_SOCKET,
  SENSORS_DIR,
} from '../../core/plan.ts';
import { SENSOR_ENV } from '../../core/sensor-protocol.ts';
import { withoutMemoryPrograms } from '../exec/memory-files.ts';
import { kernelRules } from '../exec/rules.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SandboxRecord } from '../sandboxes/record.ts';
import type { DecidedOptions } from './decided.ts';
import { CA_PATH, type HostFiles, requiredMounts } from './host-mounts.ts';
import { sandboxLabels } from './labels.ts';
import { secretMounts } from './secret-mounts.ts';

/** Variables that name the certificates of the host inside a sandbox. */
const CA_ENV = ['UCP_CA', 'NODE_EXTRA_CA_CERTS'] as const;

/** The bundles of app sensors that this installation has, relative to its sensors' directory. */
export interface SensorBundles {
  /** ES module that Node preloads. */
  readonly node?: string;
  /** Directory for PYTHONPATH. */
  readonly python?: string;
}

/** All that a plan is made from. */
export interface PlanInput {
  readonly record: SandboxRecord;
  readonly policy: LoadedPolicy;
  readonly decided: DecidedOptions;
  readonly files: HostFiles;
  readonly bundles: SensorBundles;
  readonly seccomp: string;
  readonly owner: string;
  readonly endMarker: string | undefined;
  /** What the user is told before anything runs. */
  readonly warnings: readonly string[];
}

/** Puts the decisions about one sandbox together. Pure. */
export function buildPlan(input: PlanInput): Plan {
  const { record, policy, decided, files } = input;
  return {
    sandboxId: record.sandboxId,
    name: record.name,
    policy: policy.ref,
    policySource: policy.source,
    runDir: files.runDir,
    initPath: files.init,
    labels: sandboxLabels(record, policy.ref, input.owner),
    env: sandboxEnv(input),
    prependEnv: prependedEnv(input.bundles),
    userEnv: decided.env,
    mounts: [...requiredMounts(files), ...decided.mounts, ...secretMounts(record.request.secrets, decided.mounts)],
    ...(decided.user === undefined ? {} : { user: decided.user }),
    namespaces: decided.namespaces,
    limits: decided.limits,
    seccomp: enforcesExec(input) ? withoutMemoryPrograms(input.seccomp) : input.seccomp,
    ...(input.endMarker === undefined ? {} : { endMarker: input.endMarker }),
    notes: [...ourNotes(input), ...decided.notes],
    degraded: record.degraded,
    warnings: warnings(input),
  };
}

function enforcesExec({ policy, record }: PlanInput): boolean {
  return kernelRules(policy.policy)?.mode === 'enforce' && !record.degraded.some(({ control }) => control === 'exec');
}

function sandboxEnv({ record, files, decided }: PlanInput): Record<string, string> {
  const ca = CA_ENV.filter((name) => files.ca !== undefined && decided.env[name] === undefined);
  return {
    [SENSOR_ENV.policyFile]: `${RUN_DIR}/${SENSOR_POLICY}`,
    [SENSOR_ENV.socket]: `${RUN_DIR}/${SENSOR_SOCKET}`,
    [SENSOR_ENV.sandboxId]: record.sandboxId,
    ...Object.fromEntries(ca.map((name) => [name, CA_PATH])),
  };
}

function prependedEnv({ node, python }: SensorBundles): Plan['prependEnv'] {
  return {
    ...(node === undefined
      ? {}
      : // EX-20: not `--import`, which Node runs after every `--require` of a command line.
        { NODE_OPTIONS: { value: `--require ${SENSORS_DIR}/${node}`, separator: ' ' } }),
    ...(python === undefined ? {} : { PYTHONPATH: { value: `${SENSORS_DIR}/${python}`, separator: ':' } }),
  };
}

function note(field: string, reason: string): PlanNote {
  return { field, by: 'default', source: 'ucpd', reason };
}

function ourNotes({ files, bundles, record }: PlanInput): readonly PlanNote[] {
  return [
    note('Entrypoint', `${INIT_PATH} waits until policy is in force, then runs the image's own entrypoint`),
    note(`HostConfig.Mounts ${RUN_DIR}`, 'sockets and policy file of this sandbox, read-only'),
    ...(files.ca === undefined ? [] : [note(`HostConfig.Mounts ${CA_PATH}`, "the host's trusted certificates")]),
    ...(files.timezone === undefined ? [] : [note('HostConfig.Mounts /etc/localtime', "the host's time zone")]),
    ...(bundles.node === undefined ? [] : [note('Env NODE_OPTIONS', 'loads the JavaScript sensor')]),
    ...(bundles.python === undefined ? [] : [note('Env PYTHONPATH', 'loads the Python sensor')]),
    ...(record.request.mode === 'attached' ? [note('HostConfig.AutoRemove', 'removed when its front end ends')] : []),
  ];
}

function warnings({ record, decided, warnings: found }: PlanInput): readonly string[] {
  const degraded = record.degraded.filter(({ consent }) => consent === 'allowed');
  return [
    ...degraded.map(({ control, reason }) => `${control} is asked for and NOT in force here: ${reason}`),
    ...found,
    ...(record.shared.length === 0 ? [] : [`isolation is off for: ${record.shared.join(', ')}`]),
    ...decided.observed.map(({ message, rule }) => `policy ${rule} would refuse this when enforced: ${message}`),
  ];
}
