import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

import { docker, until } from '../../helpers/docker.ts';
import type { Site, Who } from './site.ts';

type Program = 'ucp-kernel' | 'ucp-hold';

/**
 * Kills these at once, as far as that goes: each is stopped before the first is killed. Who ends with another one, as a
 * decider with its keeper, comes before it.
 */
export function kill(...pids: readonly number[]): void {
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) process.kill(pid, signal);
}

/** Kills the control plane of the site; the next command starts another one. */
export async function killControlPlane(site: Site): Promise<void> {
  const { stdout } = await site.run('ucpd', ['status', '--json']);
  process.kill((JSON.parse(stdout) as { pid: number }).pid, 'SIGKILL');
}

/** Pid of the program that the site's control plane started. Resolves when there is one. */
export async function mainOf(site: Site, who: Who, program: Program): Promise<number> {
  let pid = 0;
  await until(`a ${program}`, async () => {
    pid = who === 'root' ? ownPid(site, program) : await containerPid(site, program);
    return pid > 0 && isAlive(pid);
  });
  return pid;
}

/** The keeper of `ucp-kernel` and, of its children, the one that decides. */
export async function kernelOf(site: Site, who: Who): Promise<{ keeper: number; decider: number }> {
  let keeper = 0;
  let deciders: readonly number[] = [];
  await until('a helper with a decider', async () => {
    keeper = await mainOf(site, who, 'ucp-kernel');
    deciders = childrenOf(keeper);
    return deciders.length === 1;
  });
  return { keeper, decider: deciders[0] ?? 0 };
}

/** Id of the helper's container that runs, '' where there is none. */
export async function containerOf(site: Site, program: Program): Promise<string> {
  const owner = readFileSync(join(site.dir, 's/owner'), 'utf8');
  const filters = [`label=ucp.owner=${owner}`, `label=ucp.helper=${program}`].flatMap((one) => ['--filter', one]);
  return (await docker('ps', '-q', ...filters)).stdout;
}

async function containerPid(site: Site, program: Program): Promise<number> {
  const id = await containerOf(site, program);
  return id === '' ? 0 : Number((await docker('inspect', '-f', '{{.State.Pid}}', id)).stdout);
}

function ownPid(site: Site, program: Program): number {
  try {
    return (JSON.parse(readFileSync(join(site.dir, `s/helper/${program}.json`), 'utf8')) as { pid: number }).pid;
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** How many groups of fanotify a process has. */
export function groupsOf(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link === 'anon_inode:[fanotify]').length;
}
