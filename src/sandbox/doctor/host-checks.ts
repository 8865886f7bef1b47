import { type Check, compareVersions, ok } from './check.ts';

/** What was seen of this host. */
export interface HostSight {
  readonly node: string;
  readonly kernel: string;
  /** The kernel was built with fanotify. */
  readonly fanotify: boolean;
  /** Free bytes where the control plane keeps its state; undefined: unknown. */
  readonly free: number | undefined;
  readonly stateDir: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When this program was built. */
  readonly built: number;
}

const MIB = 2 ** 20;

/** This host, judged. */
export function hostChecks(sight: HostSight): readonly Check[] {
  return [ok('node', sight.node), kernel(sight), fanotify(sight), disk(sight), clock(sight)];
}

function kernel({ kernel: version }: HostSight): Check {
  return compareVersions(version, '5.10') >= 0
    ? ok('kernel', version)
    : { id: 'kernel', state: 'fail', reason: `${version} is older than 5.10`, fix: 'Boot a newer kernel.' };
}

function fanotify({ fanotify: present }: HostSight): Check {
  return present
    ? ok('fanotify', 'the kernel has it: exec rules can be enforced where the engine runs on this host')
    : { id: 'fanotify', state: 'warn', reason: 'this kernel has no fanotify', fix: 'Exec rules cannot be enforced here: use a kernel with CONFIG_FANOTIFY_ACCESS_PERMISSIONS.' }; // prettier-ignore
}

function disk({ free, stateDir }: HostSight): Check {
  if (free === undefined) return { id: 'disk', state: 'skip', reason: `${stateDir} does not exist yet` };
  const reason = `${Math.floor(free / MIB)} MiB free at ${stateDir}`;
  if (free >= 512 * MIB) return ok('disk', reason);
  const fix = 'Free some space: policies and events are kept there.';
  return { id: 'disk', state: free < 64 * MIB ? 'fail' : 'warn', reason, fix };
}

function clock({ now, built }: HostSight): Check {
  const shown = new Date(now).toISOString();
  return now >= built
    ? ok('clock', shown)
    : { id: 'clock', state: 'fail', reason: `it says ${shown}, before this program was built`, fix: 'Set the clock: policies have dates.' }; // prettier-ignore
}
