import type { Duplex } from 'node:stream';

import type { ContainerCreateOptions } from 'dockerode';

/** What UCP needs to know of a container. */
export interface ContainerFacts {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly state: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
  /** Host pid of PID 1; 0 when not running. */
  readonly pid: number;
  readonly exitCode: number;
}

/** A container in the engine's networks. Addresses as text; empty lists while it does not run. */
export interface ContainerNetwork {
  /** Host pid of PID 1; 0 when not running. */
  readonly pid: number;
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  /** `address/prefix` of the container in each network. */
  readonly subnets: readonly string[];
  /** DNS servers that it was given by name. */
  readonly servers: readonly string[];
  /** It is in a network whose names the engine's own resolver knows. */
  readonly embeddedResolver: boolean;
  readonly ports: readonly {
    readonly address: string;
    readonly hostPort: number;
    readonly containerPort: number;
    readonly protocol: 'tcp' | 'udp';
  }[];
}

/** The parts of an image's configuration that a container spec is compiled from. */
export interface ImageFacts {
  /** `sha256:<hex>` of the image's configuration: what the container is created from (CT-09). */
  readonly id: string;
  /** Registry digest, if the image came from one. */
  readonly repoDigest?: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly env: readonly string[];
  readonly user: string;
  readonly workdir: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly stopSignal?: string;
  readonly healthcheck?: HealthcheckFacts;
  readonly platform: string;
}

/** Docker's health check: `Test` as the engine gives it, durations in nanoseconds. */
export interface HealthcheckFacts {
  readonly Test?: readonly string[];
  readonly Interval?: number;
  readonly Timeout?: number;
  readonly StartPeriod?: number;
  readonly Retries?: number;
}

/** The engine itself. */
export interface EngineFacts {
  readonly version: string;
  readonly apiVersion: string;
  readonly cgroupVersion: '1' | '2';
  readonly securityOptions: readonly string[];
  readonly rootless: boolean;
  readonly cpus: number;
  readonly memory: number;
  readonly rootDir: string;
}

/** What {@link Engine.check} learns on the way. */
export interface EngineVersion {
  readonly apiVersion: string;
  /** Read-only binds can cover the mounts below them (API 1.44, Linux 5.12); see src/sandbox/spec/mounts.ts. */
  readonly recursiveReadOnly: boolean;
}

export interface PullProgress {
  readonly id?: string;
  readonly status: string;
  readonly current?: number;
  readonly total?: number;
}

/** Streams of an attached container. Without a TTY `output` carries the engine's 8-byte frames. */
export interface Attachment {
  readonly stream: Duplex;
  readonly tty: boolean;
}

/**
 * The Docker engine as UCP uses it. Every method rejects with a UcpError whose message says what to do
 * (ENGINE_UNREACHABLE, ENGINE_DENIED, ENGINE_TOO_OLD, IMAGE_NOT_FOUND, NAME_IN_USE, PORT_IN_USE, …).
 * Containers are named by id or name.
 */
export interface Engine {
  /** Where it listens, as messages call it: `unix:///var/run/docker.sock`. */
  readonly endpoint: string;
  facts(): Promise<EngineFacts>;
  /** The cheapest question it has: rejects when the engine can't be reached, may not be used or is too old. */
  check(): Promise<EngineVersion>;
  image(reference: string): Promise<ImageFacts | undefined>;
  pull(reference: string, platform: string | undefined, progress: (step: PullProgress) => void): Promise<void>;
  /** Makes an image of one layer, tagged `reference`, from the tar file at `path`. */
  importImage(path: string, reference: string): Promise<void>;
  create(spec: ContainerCreateOptions): Promise<string>;
  attach(container: string, streams: { stdin: boolean; tty: boolean }): Promise<Attachment>;
  start(container: string): Promise<void>;
  /**
   * Resolves with the exit code: at the next exit (the default; call before `start`), or as soon as it is not running,
   * which may be now.
   */
  waitExit(container: string, condition?: 'next-exit' | 'not-running'): Promise<number>;
  resize(container: string, size: { columns: number; rows: number }): Promise<void>;
  kill(container: string, signal: string): Promise<void>;
  /** TERM (or the image's stop signal), `seconds`, KILL. */
  stop(container: string, seconds: number): Promise<void>;
  /** Removes it with its anonymous volumes, killing it first; a container that is gone already is no error. */
  remove(container: string): Promise<void>;
  inspect(container: string): Promise<ContainerFacts | undefined>;
  /** Its process and its place in the engine's networks; undefined where there is no such container. */
  network(container: string): Promise<ContainerNetwork | undefined>;
  /**
   * Before a container is started again: rejects with NETWORK_NOT_FOUND, having changed nothing, when a network of it or
   * the one that it was made with is gone. The function puts it, stopped, into those that were made anew.
   */
  rejoinNetworks(container: string, madeWith: string | undefined): Promise<() => Promise<void>>;
  /** The engine's own full answer, for `ucp-sandbox inspect`. */
  inspectRaw(container: string): Promise<unknown>;
  /** Containers that carry all these labels (`key` or `key=value`). */
  list(labels: readonly string[]): Promise<readonly ContainerFacts[]>;
  logs(container: string, options: LogOptions): Promise<NodeJS.ReadableStream>;
  exec(container: string, options: ExecOptions): Promise<ExecSession>;
  /**
   * `start`, `die` and `destroy` of containers with this label (`key=value`), `connect` to and `disconnect` from a
   * network of any container, until `stop` is called; survives engine restarts.
   */
  watch(label: string, onEvent: (event: EngineEvent) => void): { stop(): void };
}

export interface LogOptions {
  readonly follow: boolean;
  readonly since?: number;
  readonly tail?: number;
  readonly timestamps: boolean;
}

export interface ExecOptions {
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly user?: string;
  readonly workdir?: string;
}

export interface ExecSession {
  readonly attachment: Attachment;
  resize(size: { columns: number; rows: number }): Promise<void>;
  exitCode(): Promise<number>;
}

export interface EngineEvent {
  readonly action: 'start' | 'die' | 'destroy' | 'connect' | 'disconnect';
  readonly containerId: string;
  /** Of the container; none with `connect` and `disconnect`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly exitCode?: number;
}
