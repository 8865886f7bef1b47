import type { Socket } from 'node:net';

import { toErrorRecord, toUcpError, UcpError } from '../../core/errors.ts';
import { MAX_LINE, type Notification, type Operation, type Operations, type Reply } from '../../core/protocol.ts';
import { field } from '../../core/unknown.ts';
import { lineSplitter } from './line-splitter.ts';
import { checkParams, isOperation } from './params.ts';

/** One handler for each operation; what it throws becomes the reply's error. */
export type Handlers = {
  readonly [Op in Operation]: (
    params: Operations[Op]['params'],
    peer: Peer,
  ) => Promise<Operations[Op]['result']> | Operations[Op]['result'];
};

/** A client of the socket, as the handlers see it. */
export interface Peer {
  readonly open: boolean;
  notify(notification: Notification): void;
  /** Calls `fn` once when the connection is gone. */
  onClose(fn: () => void): void;
}

/** Bytes that a peer may use: its longest line, and how far it may fall behind reading its replies before it is cut off. */
export interface PeerLimits {
  readonly line: number;
  readonly backlog: number;
}

const MEMBER: PeerLimits = { line: MAX_LINE, backlog: 64 * 1024 * 1024 };

/** Serves one connection until it ends: requests in, replies and notifications out. */
export function serveConnection(socket: Socket, handlers: Handlers, limits: PeerLimits = MEMBER): Peer {
  const send = (message: Reply | Notification): void => {
    if (!socket.writable) return;
    socket.write(`${JSON.stringify(message)}\n`);
    if (socket.writableLength > limits.backlog) socket.destroy();
  };
  const peer: Peer = {
    get open() {
      return !socket.destroyed;
    },
    notify: send,
    onClose: (fn) => {
      if (socket.destroyed) fn();
      else socket.once('close', fn);
    },
  };
  const take = lineSplitter(limits.line, (line) => {
    if (line !== '') void answer(line, handlers, peer).then(send);
  });
  socket.on('data', (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (thrown) {
      send({ id: 0, error: toErrorRecord(toUcpError(thrown)) });
      socket.destroySoon();
    }
  });
  // `close` follows and is what counts.
  socket.on('error', () => undefined);
  return peer;
}

async function answer(line: string, handlers: Handlers, peer: Peer): Promise<Reply> {
  let id = 0;
  try {
    const message = parse(line);
    const given = field(message, 'id');
    if (typeof given !== 'number')
      throw new UcpError('CONTROLPLANE_PROTOCOL', 'A request came without a numeric `id`.');
    id = given;
    return { id, result: await dispatch(message, handlers, peer) };
  } catch (thrown) {
    return { id, error: toErrorRecord(toUcpError(thrown)) };
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new UcpError('CONTROLPLANE_PROTOCOL', 'A line came that is not JSON.', { cause });
  }
}

async function dispatch(message: unknown, handlers: Handlers, peer: Peer): Promise<Operations[Operation]['result']> {
  const op = field(message, 'op');
  if (!isOperation(op)) {
    throw new UcpError(
      'CONTROLPLANE_PROTOCOL',
      `The operation ${JSON.stringify(op)} is not known here: versions differ.`,
    );
  }
  return run(op, field(message, 'params') ?? {}, handlers, peer);
}

async function run<Op extends Operation>(
  op: Op,
  given: unknown,
  handlers: Handlers,
  peer: Peer,
): Promise<Operations[Op]['result']> {
  const checked = checkParams(op, given);
  if (!checked.ok)
    throw new UcpError('CONTROLPLANE_PROTOCOL', `The parameters of ${op} are malformed: ${checked.problem}.`);
  return handlers[op](checked.params, peer);
}
