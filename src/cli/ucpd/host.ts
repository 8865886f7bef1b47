import { homedir } from 'node:os';

import type { CliIo } from '../output.ts';

/** The outside of `ucpd`, made once in main. */
export interface UcpdHost extends CliIo {
  readonly home: string;
  /** The file that node runs as `ucpd`. */
  readonly program: string;
}

/** This process as a host. */
export function processHost(program: string): UcpdHost {
  const { env, stdout, stderr } = process;
  return { env, home: homedir(), stdout, stderr, program };
}
