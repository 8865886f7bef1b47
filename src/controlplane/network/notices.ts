import type { EventSink, NewEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Notification } from '../../core/protocol.ts';

type RefusedConnection = Extract<Notification, { event: 'connection_refused' }>;

/** Passes events on, and tells the front end of a sandbox of each connection that was refused. */
export function withNotices(events: EventSink, tell: (notice: RefusedConnection) => void): EventSink {
  return {
    emit: (event) => {
      events.emit(event);
      const notice = refusedConnection(event);
      if (notice !== undefined) tell(notice);
    },
  };
}

/** What a person needs to know of a violation; undefined for any other event and for what was let through. */
export function refusedConnection({ name, sandbox, violation, body }: NewEvent): RefusedConnection | undefined {
  if (name !== 'network_violation' || violation?.action !== 'blocked' || sandbox === undefined) return undefined;
  const destination = destinationOf(body);
  return {
    event: 'connection_refused',
    sandboxId: sandbox.sandbox_id,
    config: text(body['config']),
    rule: violation.rule,
    message: violation.message,
    count: typeof body['count'] === 'number' ? body['count'] : 1,
    ...(destination === undefined ? {} : { destination }),
  };
}

/** As `network check` takes it; undefined for what it can't be asked. */
function destinationOf({ direction, address, name, port, protocol }: JsonObject): string | undefined {
  if (direction !== 'out') return undefined;
  // Which port the name was asked for nobody knows.
  if (protocol === 'dns') return typeof name === 'string' && HOST.test(name) ? `${name}:443` : undefined;
  if ((protocol !== 'tcp' && protocol !== 'udp') || typeof port !== 'number' || port === 0) return undefined;
  const host = text(name ?? address);
  return `${host.includes(':') ? `[${host}]` : host}:${port}${protocol === 'udp' ? '/udp' : ''}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Names that a command line takes as they are. */
const HOST = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$/;
