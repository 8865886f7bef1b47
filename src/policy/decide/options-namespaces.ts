import { type Namespace, NAMESPACES, type RunRequest } from '../../core/run-request.ts';
import type { Breach } from './decision.ts';
import type { Judge } from './options-judge.ts';
import type { CompiledOptions } from './options.ts';

const FIELDS: Readonly<Record<Namespace, string>> = {
  pid: 'HostConfig.PidMode',
  ipc: 'HostConfig.IpcMode',
  uts: 'HostConfig.UTSMode',
  user: 'HostConfig.UsernsMode',
  network: 'HostConfig.NetworkMode',
};

/**
 * Which namespaces the workload has of its own. `true` in the policy requires one; `false` leaves it off unless a flag
 * asks for isolation; absent isolates unless a flag says no. The user namespace, which few engines have, is only there
 * when policy requires it.
 */
export function decideNamespaces(
  options: CompiledOptions,
  request: RunRequest,
  judge: Judge,
): Readonly<Record<Namespace, boolean>> {
  const decide = (name: Namespace): boolean => {
    const rule = options.namespaces[name];
    const off = request.isolation?.includes(name) === true || (name === 'network' && sharesNetwork(request));
    const required = rule === true && judge.enforces;
    if (rule === true && off) judge.break(`/options/namespaces/${name}`, shared(name));
    if (off && !required) {
      judge.note(FIELDS[name], 'flag', '--isolation', `${name} namespace shared`);
      return false;
    }
    const own = required || isolated(name, rule, request);
    const [by, source] =
      rule === undefined ? (['default', 'isolation'] as const) : (['policy', `/options/namespaces/${name}`] as const);
    judge.note(FIELDS[name], by, source, own ? `${name} namespace of its own` : `${name} namespace shared`);
    return own;
  };
  const entries = NAMESPACES.map((name) => [name, decide(name)] as const);
  const namespaces = { pid: true, ipc: true, uts: true, user: false, network: true, ...Object.fromEntries(entries) };
  if (request.networkConfig !== undefined && (!namespaces.network || sharesNetwork(request))) {
    judge.refuse('/network', {
      what: `The network config ${JSON.stringify(request.networkConfig)} needs a network namespace of its own.`,
      brief: 'a run with a network config in a shared network namespace',
      remedy: 'Leave out --network-config, or the flag that shares the network.',
    });
  }
  return namespaces;
}

/** What holds where no flag switches the namespace off. */
function isolated(name: Namespace, rule: boolean | undefined, request: RunRequest): boolean {
  if (name === 'user') return rule === true;
  return rule !== false || request.isolation !== undefined;
}

function shared(name: Namespace): Omit<Breach, 'rule'> {
  return {
    what: `The ${name} namespace must be the workload's own.`,
    brief: `a run that shares the ${name} namespace`,
    remedy: 'Leave the isolation flag out.',
  };
}

/** `--network host` and `--network container:x` share somebody else's network. */
function sharesNetwork({ network }: RunRequest): boolean {
  return network === 'host' || network?.startsWith('container:') === true;
}
