import { readFileSync } from 'node:fs';

import { assertSocketPath, type HostPaths, SERVICE_PATHS, userPaths } from '../../core/paths.ts';
import type { UcpdHost } from './host.ts';

/** True when the environment names a control plane of its own. */
function namesOwn(env: UcpdHost['env']): boolean {
  return env['UCP_SOCKET'] !== undefined || env['UCP_STATE_DIR'] !== undefined;
}

/** The places of the system unit, which systemd names to its processes; the environment moves each one by itself. */
function unitPlaces(env: UcpdHost['env']): HostPaths | undefined {
  const runtime = env['RUNTIME_DIRECTORY'];
  if (runtime === undefined) return undefined;
  const paths = {
    socket: env['UCP_SOCKET'] ?? `${runtime}/ucpd.sock`,
    stateDir: env['UCP_STATE_DIR'] ?? env['STATE_DIRECTORY'] ?? SERVICE_PATHS.stateDir,
    config: env['UCP_CONFIG'] ?? SERVICE_PATHS.config,
  };
  assertSocketPath(paths.socket);
  return paths;
}

/** The places that a control plane started here uses. */
export function placesToRun(host: UcpdHost, onDemand: boolean): HostPaths {
  const unit = onDemand ? undefined : unitPlaces(host.env);
  if (unit !== undefined) return unit;
  return onDemand || namesOwn(host.env) ? userPaths(host.env, host.home) : SERVICE_PATHS;
}

/** The places where a control plane may be found, the service first. */
export function placesToFind(host: UcpdHost): readonly HostPaths[] {
  const unit = unitPlaces(host.env);
  if (unit !== undefined) return [unit];
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
