import type { Output } from '../../output.ts';
import type { CliHost } from '../host.ts';

/** What a verb works with that needs no control plane. */
export interface Local {
  readonly host: CliHost;
  readonly output: Output;
}

/** Runs what such a verb does, and turns what it throws into an exit code. */
export type LocalVerb = (
  options: { readonly json?: boolean },
  act: (local: Local) => Promise<number | void> | number | void,
) => Promise<void>;
