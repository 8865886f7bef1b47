import type { ErrorRecord } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Plan } from './plan.ts';
import type { RunRequest } from './run-request.ts';
import type { SecretRequest, SecretValues } from './secrets.ts';
import type { SensorLine, SensorPolicyFile } from './sensor-protocol.ts';

/**
 * The control plane's socket: one JSON object per line, both ways. A client numbers its requests; the reply carries
 * the number. Notifications carry none. Unknown fields are ignored, unknown operations are answered by an error.
 */
export const PROTOCOL_VERSION = 1;

/** Longest line either side accepts, bytes. */
export const MAX_LINE = 16 * 1024 * 1024;

/** Operations of the socket: parameters and result of each. */
export interface Operations {
  /** Who is there; also the way to wait until a control plane answers. */
  hello: { params: { version: number }; result: { version: number; program: string; pid: number } };
  /**
   * Decides a run. With `dryRun` nothing is created. Otherwise the sandbox's sockets are listening when the reply
   * arrives, the name is reserved, and this connection holds the lease of an attached sandbox. `engine` is the engine
   * that the front end talks to, as its `endpoint` writes it: it must be the control plane's.
   */
  prepare: {
    params: { request: RunRequest; lease: LeaseHolder; engine: string; dryRun: boolean; secrets?: SecretValues };
    result: { plan: Plan };
  };
  /**
   * The container exists (not started yet). `terminal` is the size of the user's terminal: the control plane sets it
   * between `ready` and `go`, so that the workload never sees one of 0 × 0.
   */
  created: {
    params: {
      sandboxId: string;
      containerId: string;
      imageId: string;
      imageDigest?: string;
      terminal?: { columns: number; rows: number };
    };
    result: null;
  };
  /** Creation or start failed; the control plane removes what there is of it and reports the reason. */
  abandoned: { params: { sandboxId: string; error: ErrorRecord }; result: null };
  /** Takes up the lease again after a control plane's restart. */
  reattach: { params: { sandboxId: string; lease: LeaseHolder }; result: null };
  /** Events of the gateway in the front end that holds the lease. */
  sensed: { params: { sandboxId: string; lines: readonly SensorLine[] }; result: null };
  /** Ends a sandbox: TERM, `grace` seconds, KILL. Answers when the container has ended (and is gone, if `remove`). */
  stop: { params: { sandbox: string; grace?: number; remove?: boolean }; result: { exitCode?: number } };
  /**
   * Starts a detached sandbox again, with `restart` after ending the one that runs, which is left alone where policy has
   * something against the start. Answers when its workload was let go, with the error when it was not.
   */
  start: { params: { sandbox: string; restart: boolean; grace?: number; secrets?: SecretValues }; result: null };
  /** Resolves when no container of that name is left or being removed. */
  settled: { params: { name: string }; result: null };
  list: { params: { all: boolean }; result: { sandboxes: readonly SandboxStatus[] } };
  /** The network configurations that a run may name, under the policy that it would get. */
  networks: {
    params: { policyFile?: string; policyKey?: string };
    result: { policy: string; configs: readonly NetworkListing[] };
  };
  /** Starts the privileged helpers once more, in each way, and has them work: for `doctor`. Takes seconds. */
  trial: { params: Record<string, never>; result: { helpers: readonly HelperTrial[] } };
  status: { params: Record<string, never>; result: JsonObject };
  sync: { params: Record<string, never>; result: JsonObject };
  /** Reads the configuration again; its error is the configuration's fault, which then was not taken. */
  reload: { params: Record<string, never>; result: JsonObject };
  shutdown: { params: Record<string, never>; result: null };
}

export type Operation = keyof Operations;

/** One network configuration; `config` as policy documents write it. */
export interface NetworkListing {
  readonly name: string;
  readonly source: 'policy' | 'preset';
  readonly config: JsonObject;
}

/** One helper, started in one way, and what it was seen to do there; `error`: what went wrong; neither: not tried. */
export interface HelperTrial {
  readonly program: string;
  readonly mode: 'child' | 'container';
  /** Helpers run this way here. */
  readonly used: boolean;
  readonly works?: string;
  readonly error?: ErrorRecord;
}

/** Identity of the process that holds a lease. */
export interface LeaseHolder {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat. */
  readonly startTime: string;
  readonly bootId: string;
}

export interface SandboxStatus {
  readonly sandboxId: string;
  readonly name: string;
  readonly containerId?: string;
  readonly image: string;
  readonly mode: 'attached' | 'detached';
  readonly state: 'preparing' | 'created' | 'waiting' | 'running' | 'exited';
  readonly exitCode?: number;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly policyDigest: string;
  readonly degraded: readonly string[];
  /** It stays at its end and can be started again. */
  readonly restartable: boolean;
  /** What a start needs; its values may have to be given again. */
  readonly secrets?: readonly SecretRequest[];
}

/** What the control plane says unasked, to the connection that holds the lease. */
export type Notification =
  /**
   * The policy of a run with `--mcp`, before its workload is let go, at each change, and when the lease is taken up again;
   * null: one without a gateway.
   */
  | { readonly event: 'policy'; readonly sandboxId: string; readonly file: SensorPolicyFile | null }
  /** Policy is in force and the workload was let go. */
  | { readonly event: 'started'; readonly sandboxId: string }
  /** The workload did not start; the init process was told to end with 125. */
  | { readonly event: 'refused'; readonly sandboxId: string; readonly error: ErrorRecord }
  /** Connections of the workload, or to it, that network rules refused: `count` alike. */
  | {
      readonly event: 'connection_refused';
      readonly sandboxId: string;
      readonly config: string;
      /** JSON pointer of the rules that spoke. */
      readonly rule: string;
      /** What was refused and why, one line. */
      readonly message: string;
      /** As `network check` takes it, where it can be asked. */
      readonly destination?: string;
      readonly count: number;
    }
  /** The main process ended; all its output precedes the end marker. */
  | { readonly event: 'exited'; readonly sandboxId: string; readonly exitCode: number };

export type Reply =
  | { readonly id: number; readonly result: Operations[Operation]['result'] }
  | { readonly id: number; readonly error: ErrorRecord };
