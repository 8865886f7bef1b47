import { readFileSync } from 'node:fs';

import { type HostPaths, SERVICE_PATHS, userPaths } from '../../core/paths.ts';
import type { UcpdHost } from './host.ts';

/** True when the environment names a control plane of its own. */
function namesOwn(env: UcpdHost['env']): boolean {
  return env['UCP_SOCKET'] !== undefined || env['UCP_STATE_DIR'] !== undefined;
}

/** The places that a control plane started here uses. */
export function placesToRun(host: UcpdHost, onDemand: boolean): HostPaths {
  return onDemand || namesOwn(host.env) ? userPaths(host.env, host.home) : SERVICE_PATHS;
}

/** The places where a control plane may be found, the service first. */
export function placesToFind(host: UcpdHost): readonly HostPaths[] {
  const user = userPaths(host.env, host.home);
  return namesOwn(host.env) ? [user] : [SERVICE_PATHS, user];
}

/** The id of a group of this host, or undefined. */
export function groupId(name: string): number | undefined {
  try {
    const line = readFileSync('/etc/group', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    const id = line?.split(':')[2];
    return id === undefined ? undefined : Number(id);
  } catch {
    return undefined;
  }
}
