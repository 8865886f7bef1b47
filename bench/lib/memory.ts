import { readFileSync } from 'node:fs';

/** MiB of the machine's memory that a process has: all of its own, and its part of what it shares. NaN: nothing says so. */
export function memoryOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) / 1024;
}
