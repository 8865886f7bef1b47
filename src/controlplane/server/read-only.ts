import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Operation } from '../../core/protocol.ts';
import { field } from '../../core/unknown.ts';
import type { Handlers } from './connection.ts';

/** Who may use the main socket, by name. */
const GROUP = 'ucp';

/**
 * The operations for those who may only read: hello, list, networks and status; any other one throws CONTROLPLANE_READ_ONLY. Node
 * can't ask the kernel who is at the other end of a socket, so the right is that of the socket's path.
 */
export function readOnly({ hello, list, networks, status }: Handlers): Handlers {
  return {
    hello,
    list,
    networks,
    status: async (params, peer) => withoutAnswers(await status(params, peer)),
    prepare: refused('prepare'),
    created: refused('created'),
    abandoned: refused('abandoned'),
    reattach: refused('reattach'),
    sensed: refused('sensed'),
    stop: refused('stop'),
    start: refused('start'),
    settled: refused('settled'),
    trial: refused('trial'),
    sync: refused('sync'),
    reload: refused('reload'),
    shutdown: refused('shutdown'),
  };
}

/** A handler that refuses. */
function refused(op: Operation): () => never {
  return () => {
    throw new UcpError(
      'CONTROLPLANE_READ_ONLY',
      `This socket tells the state and takes no \`${op}\`: join the group ${GROUP} and log in again.`,
    );
  };
}

/** What the receiver of events answered is in its own words, and may repeat what it was sent. */
function withoutAnswers(report: JsonObject): JsonObject {
  const { telemetry } = report;
  const state = field(field(telemetry, 'export'), 'state');
  return { ...report, telemetry: { export: { state: typeof state === 'string' ? state : null } } };
}
