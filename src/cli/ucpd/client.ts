import { UcpError } from '../../core/errors.ts';
import type { HostPaths } from '../../core/paths.ts';
import { connectFirst } from '../../sandbox/client/connect.ts';
import type { ControlClient } from '../../sandbox/client/control-client.ts';
import type { UcpdHost } from './host.ts';
import { placesToFind } from './places.ts';

/** A control plane that answers, and where. */
export interface Found {
  readonly client: ControlClient;
  readonly paths: HostPaths;
}

/** The control plane that serves this user, or undefined. */
export async function findControlPlane(host: UcpdHost): Promise<Found | undefined> {
  for (const paths of placesToFind(host)) {
    const client = await connectFirst([paths.socket]);
    if (client !== undefined) return { client, paths };
  }
  return undefined;
}

/** The same, where there must be one. Throws CONTROLPLANE_UNREACHABLE. */
export async function requireControlPlane(host: UcpdHost): Promise<Found> {
  const found = await findControlPlane(host);
  if (found !== undefined) return found;
  const sockets = placesToFind(host).map(({ socket }) => socket);
  throw new UcpError('CONTROLPLANE_UNREACHABLE', `No control plane runs (nobody answers on ${sockets.join(' or ')}).`);
}
