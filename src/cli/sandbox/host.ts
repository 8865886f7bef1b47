import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** The outside of `ucp-sandbox`, made once in main. */
export interface CliHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The `ucpd` program that is started where none runs. */
  readonly ucpd: string;
}

/** This process as a host. */
export function processHost(ucpd: string): CliHost {
  const { env, stdout, stderr } = process;
  return {
    env,
    home: homedir(),
    // A getter: opening stdin has a price, and a run without -i never needs it.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    ucpd,
  };
}
