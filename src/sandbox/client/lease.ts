import { readFileSync } from 'node:fs';

import { processStat } from '../../core/process-stat.ts';
import type { LeaseHolder } from '../../core/protocol.ts';

/** Who this process is, told apart from a later one with the same pid. */
export function leaseHolder(): LeaseHolder {
  const { startTime = '' } = processStat(readFileSync('/proc/self/stat', 'utf8'));
  return { pid: process.pid, startTime, bootId: bootId() };
}

/** A holder as the label `ucp.lease` has it. */
export function leaseText({ bootId: boot, pid, startTime }: LeaseHolder): string {
  return `${boot}:${pid}:${startTime}`;
}

/** True while the process of a label lives on this host; for text that says nothing, too. */
export function isHeld(text: string): boolean {
  const [, boot, pid, startTime] = /^([^:]+):(\d+):(\d+)$/.exec(text) ?? [];
  if (pid === undefined) return true;
  if (boot !== bootId()) return false;
  try {
    return processStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).startTime === startTime;
  } catch {
    return false;
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
