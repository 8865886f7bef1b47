import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { HelperProgram } from './spec.ts';

/** Where a helper container finds the sockets. */
export const CONTAINER_RUN = '/run/ucp';

/** The files of helpers below the state directory, which is its owner's only. */
export interface HelperPlaces {
  /** Directory of the sockets: mounted into helper containers, whose root has no right to look past modes. */
  readonly run: string;
  readonly socket: string;
  /** In a helper container. */
  readonly socketInside: string;
  /** There while one may run: of a child, who it is; what a child says. */
  readonly identity: string;
  readonly log: string;
}

/** Makes the directories. Throws what mkdir throws. */
export function helperPlaces(stateDir: string, program: HelperProgram): HelperPlaces {
  const dir = join(stateDir, 'helper');
  const run = join(dir, 'run');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  mkdirSync(run, { recursive: true });
  // Not by mkdir's mode: the process's umask would narrow it.
  chmodSync(run, 0o755);
  return {
    run,
    socket: join(run, `${program}.sock`),
    socketInside: `${CONTAINER_RUN}/${program}.sock`,
    identity: join(dir, `${program}.json`),
    log: join(dir, `${program}.log`),
  };
}
