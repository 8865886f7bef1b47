import type { ContainerCreateOptions } from 'dockerode';

import type { Plan, PlanNote } from '../../core/plan.ts';
import type { RunRequest } from '../../core/run-request.ts';

/** One line of `--explain`. */
export interface Explanation {
  readonly field: string;
  readonly value: string;
  readonly by: PlanNote['by'];
  readonly source: string;
  readonly reason: string;
}

/** Who decides what the plan has no note about. */
const DEFAULTS: Readonly<Record<string, readonly [PlanNote['by'], string, string]>> = {
  name: ['default', 'ucpd', 'made up where --name says nothing'],
  Image: ['flag', 'IMAGE', 'by id, so that a tag that moves changes nothing'],
  Cmd: ['image', 'ENTRYPOINT, CMD', 'what the command line does not replace'],
  Env: ['default', 'ucpd', "ours, then the user's; the image's own are added by the engine"],
  Labels: ['default', 'ucpd', 'what this sandbox is and which policy it runs under'],
  WorkingDir: ['flag', '--workdir', 'said by the user'],
  Hostname: ['flag', '--hostname', 'said by the user'],
  User: ['flag', '--user', 'said by the user'],
  StopTimeout: ['flag', '--stop-timeout', 'said by the user'],
  platform: ['flag', '--platform', 'said by the user'],
  Healthcheck: ['image', 'HEALTHCHECK', 'through init, which refuses it before policy is in force'],
  ExposedPorts: ['flag', '--publish', 'what is published'],
  Tty: ['flag', '--tty', 'only when asked for'],
  OpenStdin: ['flag', '--interactive', 'only when asked for'],
  'HostConfig.PortBindings': ['flag', '--publish', 'on 127.0.0.1 unless an address is given'],
  'HostConfig.Tmpfs': ['flag', '--tmpfs', 'said by the user'],
  'HostConfig.NetworkMode': ['flag', '--network', "the engine's default network unless named"],
  'HostConfig.RestartPolicy': ['flag', '--restart', 'only when asked for'],
};

/** Each field of the spec with its value and who decided it: the plan's notes first, then what goes without saying. */
export function explainSpec(
  spec: ContainerCreateOptions,
  plan: Plan,
  request: Pick<RunRequest, 'limits'>,
): readonly Explanation[] {
  const { HostConfig, ...config } = spec;
  const fields = [
    ...Object.entries(config),
    ...Object.entries(HostConfig ?? {}).map(([name, value]) => [`HostConfig.${name}`, value] as const),
  ];
  const rows = fields.flatMap(([field, value]) => {
    const notes = plan.notes.filter((note) => note.field === field || note.field.startsWith(`${field} `));
    const shown = shorten(field, value);
    return (notes.length > 0 ? notes : [limitNote(field, request) ?? ownNote(field)]).map((note) => ({
      ...note,
      value: shown,
    }));
  });
  const known = new Set(rows.map((row) => row.field));
  const others = plan.notes.filter((note) => !known.has(note.field));
  return [...rows, ...others.map((note) => ({ ...note, value: '' }))];
}

/** Limits are the user's where a flag gave them, and within what policy permits. */
function limitNote(field: string, { limits }: Pick<RunRequest, 'limits'>): PlanNote | undefined {
  const flags: Readonly<Record<string, readonly [string, number | undefined]>> = {
    'HostConfig.Memory': ['--memory', limits.memory],
    'HostConfig.MemorySwap': ['--memory', limits.memory],
    'HostConfig.NanoCpus': ['--cpus', limits.cpus],
    'HostConfig.PidsLimit': ['--pids-limit', limits.pids],
  };
  const [source, value] = flags[field] ?? [];
  if (source === undefined) return undefined;
  return value === undefined
    ? { field, by: 'default', source: 'ucpd', reason: 'what a sandbox gets where nothing is said' }
    : { field, by: 'flag', source, reason: 'said by the user, within what policy permits' };
}

function ownNote(field: string): PlanNote {
  const [by, source, reason] = DEFAULTS[field] ?? [
    'default',
    'hardening',
    'the same for every sandbox; no flag widens it',
  ];
  return { field, by, source, reason };
}

const LONGEST = 60;

function shorten(field: string, value: unknown): string {
  const text = field === 'HostConfig.SecurityOpt' ? 'no-new-privileges, seccomp profile' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
