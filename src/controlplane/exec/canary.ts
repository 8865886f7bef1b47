import { getSystemErrorName } from 'node:util';

import { UcpError } from '../../core/errors.ts';
import { PROBE } from './rules.ts';

/**
 * Executes a file of the sandbox by a process of the sandbox and resolves to execve's errno. It never runs anything:
 * init refuses whatever is not empty.
 */
export type TryExec = (path: string) => Promise<number>;

const EPERM = 1;
const ENOEXEC = 8;

/**
 * Proves that execs of this sandbox are decided by our rules. The probe is an empty file which the engine puts into the
 * root of every container, on the container's own file system: the kernel asks for permission before it finds that an
 * empty file is no program, so a denied exec ends with EPERM and an allowed one with ENOEXEC. Rejects with
 * CONTROL_UNPROVEN.
 */
export async function expectProbe(tryExec: TryExec, expected: 'denied' | 'allowed'): Promise<void> {
  const errno = await tryExec(PROBE);
  if (errno === (expected === 'denied' ? EPERM : ENOEXEC)) return;
  const came = errno === 0 ? 'it ran' : getSystemErrorName(-errno);
  throw new UcpError(
    'CONTROL_UNPROVEN',
    `An exec of ${PROBE} that must be ${expected} ended otherwise (${came}): this engine, kernel or container runtime does not ask the helper.`,
  );
}
