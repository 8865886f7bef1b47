import type { SecretRequest } from './secrets.ts';

/** Namespaces that `--isolation` can name. `user` needs an engine with userns-remap. */
export const NAMESPACES = ['pid', 'ipc', 'uts', 'user', 'network'] as const;
export type Namespace = (typeof NAMESPACES)[number];

/** A file system of the host, of the engine, or of memory, as the user asked for it. */
export interface MountRequest {
  readonly type: 'bind' | 'volume' | 'tmpfs';
  /** Absolute host path (bind), volume name (volume), empty (tmpfs or anonymous volume). */
  readonly source: string;
  /** Absolute path in the container. */
  readonly target: string;
  /** True unless the user wrote `rw` (bind, volume); a tmpfs is writable unless `ro` was written. */
  readonly readOnly: boolean;
  /** tmpfs only: mount options such as `size=64m`. */
  readonly options?: string;
}

/** `-p [ADDRESS:][HOST:]CONTAINER[/PROTO]`. */
export interface PortRequest {
  /** Host address; 127.0.0.1 unless the user gave one. */
  readonly address: string;
  /** Host port; 0 lets the engine choose. */
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: 'tcp' | 'udp';
}

/** An MCP server that speaks HTTP, behind the gateway. */
export interface McpHttp {
  /** Its port in the container, which is not published. */
  readonly port: number;
  /** Where the gateway listens on the host; port 0: any that is free. */
  readonly doors: readonly { readonly address: string; readonly port: number }[];
  /** SHA-256, in hexadecimal digits, of the bearer token that clients have to bring. */
  readonly token?: string;
}

/**
 * What the user asked for with `ucp-sandbox run`, after parsing and before policy: plain data that the front end
 * sends to the control plane. Sizes are bytes, times seconds, cpus whole processors (0.5 is half of one).
 */
export interface RunRequest {
  readonly image: string;
  /** Replaces the image's CMD when not empty. Never joined, never split. */
  readonly command: readonly string[];
  /** Replaces the image's ENTRYPOINT; one program, or '' to clear it, as docker does. */
  readonly entrypoint?: string;
  readonly name?: string;
  /** Keep-alive mode: `attached` belongs to its front end, `detached` to the control plane. */
  readonly mode: 'attached' | 'detached';
  readonly remove: boolean;
  readonly interactive: boolean;
  readonly tty: boolean;
  /** What its MCP server speaks: with `stdio`, the end of input ends the sandbox after a short grace. */
  readonly mcp?: 'stdio' | McpHttp;
  readonly env: Readonly<Record<string, string>>;
  /** Without their values, which travel apart and are never written. */
  readonly secrets?: readonly SecretRequest[];
  readonly mounts: readonly MountRequest[];
  readonly ports: readonly PortRequest[];
  readonly workdir?: string;
  readonly user?: string;
  readonly hostname?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: { readonly memory?: number; readonly cpus?: number; readonly pids?: number };
  readonly platform?: string;
  readonly stopTimeout?: number;
  readonly restart?: { readonly name: 'no' | 'always' | 'unless-stopped' | 'on-failure'; readonly retries?: number };
  /** Namespaces the user switched off with `--no-isolation` or left out of `--isolation`; undefined: nothing said. */
  readonly isolation?: readonly Namespace[];
  readonly networkConfig?: string;
  /** `--network NAME`: an existing engine network to join. */
  readonly network?: string;
  /** Policy file of this run (on-demand control plane only), absolute path, with its public key. */
  readonly policyFile?: string;
  readonly policyKey?: string;
  /** Controls the user accepts to be without (invariant 1). */
  readonly allowDegraded: readonly string[];
}

/** What `ucp-sandbox run IMAGE` asks for without any flag. */
export const PLAIN_RUN: Omit<RunRequest, 'image'> = {
  command: [],
  mode: 'attached',
  remove: false,
  interactive: false,
  tty: false,
  env: {},
  mounts: [],
  ports: [],
  labels: {},
  limits: {},
  allowDegraded: [],
};
