import { readFileSync } from 'node:fs';

import { processStat } from '../../core/process-stat.ts';
import type { LeaseHolder } from '../../core/protocol.ts';

/** A process, told apart from a later one of the same number. */
export type ProcessIdentity = LeaseHolder;

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function statOf(pid: number): ReturnType<typeof processStat> {
  return processStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
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
