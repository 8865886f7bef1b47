import { readFileSync } from 'node:fs';

import type { LeaseHolder } from '../../core/protocol.ts';

/** A process, told apart from a later one of the same number. */
export type ProcessIdentity = LeaseHolder;

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** State and start time. The command's name, in parentheses, may hold spaces; field 22 is the 20th after it. */
function statOf(pid: number): { readonly state: string | undefined; readonly startTime: string | undefined } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], startTime: fields[19] };
}

/** Who `pid` is now. Throws when nobody is. */
export function processIdentity(pid: number): ProcessIdentity {
  return { pid, startTime: statOf(pid).startTime ?? '', bootId: bootId() };
}

/** True while that very process lives. */
export function isRunning(identity: ProcessIdentity): boolean {
  try {
    const { state, startTime } = statOf(identity.pid);
    return state !== 'Z' && startTime === identity.startTime && bootId() === identity.bootId;
  } catch {
    return false;
  }
}
