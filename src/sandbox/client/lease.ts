import { readFileSync } from 'node:fs';

import type { LeaseHolder } from '../../core/protocol.ts';

/** Who this process is, told apart from a later one with the same pid. */
export function leaseHolder(): LeaseHolder {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The second field is the program's name in parentheses and may hold anything; field 22 is the 20th after it.
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { pid: process.pid, startTime, bootId };
}
