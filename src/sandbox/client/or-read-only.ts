import { UcpError } from '../../core/errors.ts';
import { statusSocket } from '../../core/paths.ts';
import { connectFirst } from './connect.ts';
import type { ControlClient } from './control-client.ts';

/**
 * What `connect` finds; where the main socket is closed to this user, the one of the same service that tells its state
 * to everybody. `sockets` are the main sockets that are looked at. Throws what `connect` throws.
 */
export async function orReadOnly(
  connect: () => Promise<ControlClient>,
  sockets: readonly string[],
): Promise<ControlClient> {
  try {
    return await connect();
  } catch (thrown) {
    if (!(thrown instanceof UcpError && thrown.code === 'CONTROLPLANE_DENIED')) throw thrown;
    const client = await connectFirst(sockets.map(statusSocket));
    if (client === undefined) throw thrown;
    return client;
  }
}
