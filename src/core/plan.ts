import type { PolicyRef } from './events.ts';
import type { MountRequest, Namespace } from './run-request.ts';

/** One decision about the container and who made it, for `--explain`. */
export interface PlanNote {
  /** Dotted field of the container spec, e.g. `HostConfig.PidsLimit`. */
  readonly field: string;
  readonly by: 'policy' | 'flag' | 'default' | 'image';
  /** JSON pointer of the rule, or the flag's name. */
  readonly source: string;
  readonly reason: string;
}

/** A control that was asked for and is not in force, with the consent that lets the run go on. */
export interface DegradedControl {
  readonly control: string;
  readonly reason: string;
  /** `observe`: policy only asked to observe it. `allowed`: `--allow-degraded` named it. */
  readonly consent: 'observe' | 'allowed';
}

/**
 * What the control plane decided for one sandbox: request ∩ policy. The front end compiles it, together with the
 * image's own configuration, into the container spec. Nothing in it may be widened there.
 */
export interface Plan {
  readonly sandboxId: string;
  readonly name: string;
  readonly policy: PolicyRef;
  readonly policySource: 'built-in' | 'file' | 'service';
  /** Host directory mounted read-only at {@link RUN_DIR}: sockets and the sensors' policy file. */
  readonly runDir: string;
  /** Host path of the static init binary. */
  readonly initPath: string;
  /** Labels that must be on the container, the user's own already merged and not able to replace ours. */
  readonly labels: Readonly<Record<string, string>>;
  /** Environment of ours; the spec merges list-like variables (NODE_OPTIONS, PYTHONPATH) with the image's and the user's. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment variables to put in front of what image and user say, separated as each variable demands. */
  readonly prependEnv: Readonly<Record<string, { readonly value: string; readonly separator: string }>>;
  /** Environment of the user that policy lets through. */
  readonly userEnv: Readonly<Record<string, string>>;
  /** Required mounts of ours, then the user's that policy allows. */
  readonly mounts: readonly MountRequest[];
  readonly user?: string;
  readonly namespaces: Readonly<Record<Namespace, boolean>>;
  /** Bytes, processors, processes. */
  readonly limits: { readonly memory: number; readonly cpus: number; readonly pids: number };
  /** The seccomp profile's JSON text. */
  readonly seccomp: string;
  /** 32 hex digits that `ucp-init` writes at the end of the workload's output; only for attached sandboxes. */
  readonly endMarker?: string;
  readonly notes: readonly PlanNote[];
  readonly degraded: readonly DegradedControl[];
  /** Lines the front end prints on stderr unless `-q`. */
  readonly warnings: readonly string[];
}

/** Paths inside every sandbox. */
export const INIT_PATH = '/.ucp/init';
export const RUN_DIR = '/.ucp/run';
export const SENSORS_DIR = '/.ucp/sensors';

/** The file names inside a sandbox's run directory. */
export const INIT_SOCKET = 'init.sock';
export const SENSOR_SOCKET = 'sensor.sock';
export const SENSOR_POLICY = 'policy.json';
