import type { Clock, Logger } from '../../core/ports.ts';
import type { Engine } from '../../engine/engine.ts';

/** The privileged programs of an installation. */
export type HelperProgram = 'ucp-kernel' | 'ucp-hold' | 'ucp-net' | 'ucp-trace';

/** What a helper is and which rights it gets: no others than these. */
export interface HelperSpec {
  readonly program: HelperProgram;
  /** Without `CAP_`. */
  readonly capabilities: readonly string[];
  /** Whether it reads the layers of containers where the engine keeps them. */
  readonly layers?: boolean;
}

/** What helpers need from around them. */
export interface HelperContext {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Value of the label `ucp.owner`. */
  readonly owner: string;
  readonly stateDir: string;
  /** Directory of the programs, and the same as a tar file: the image of the helper containers. */
  readonly helpers: string;
  readonly helperImage: string;
  /** How helpers run here; see {@link helperMode}. */
  readonly mode: (spec: HelperSpec) => 'child' | 'container';
}

/** A helper that was started, maybe by an earlier control plane. */
export interface HelperProcess {
  /** False once it has ended for good; a program that replaces its own dead part lives on. */
  alive(): Promise<boolean>;
  /** What it said last, for messages; '' when it said nothing. */
  lastWords(): Promise<string>;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/** One way to run helpers. */
export interface HelperLauncher {
  /** The one that an earlier control plane left running, if any; others of ours that ended are removed. */
  find(): Promise<HelperProcess | undefined>;
  /** Starts one that connects to the socket `name` of the directory that helpers meet the control plane in. */
  start(): Promise<HelperProcess>;
}
