import type { Socket } from 'node:net';

import { fromErrorRecord, toUcpError, UcpError } from '../../core/errors.ts';
import { MAX_LINE, type Notification, type Operation, type Operations, type Reply } from '../../core/protocol.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The control plane at the other end of a connected socket: requests, their replies, and what it says unasked. */
export class ControlClient {
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(notification: Notification) => void>();
  readonly closed: Promise<void>;
  #nextId = 1;
  #rest = '';

  /** Takes over `socket`, which must be connected. */
  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#read(text));
    // Reported by `close`, which follows.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#fail(
          new UcpError('CONTROLPLANE_UNREACHABLE', 'The control plane closed the connection: look at `ucpd logs`.'),
        );
        resolve();
      });
    });
  }

  /** Asks for one operation. Rejects with the control plane's own error, or CONTROLPLANE_UNREACHABLE. */
  async call<Op extends Operation>(op: Op, params: Operations[Op]['params']): Promise<Operations[Op]['result']> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new UcpError('CONTROLPLANE_UNREACHABLE', 'The connection to the control plane is closed.'));
        return;
      }
      this.#pending.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ id, op, params })}\n`);
    });
  }

  /** Calls `listener` for each notification from now on; the returned function ends that. */
  listen(listener: (notification: Notification) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the connection, and with it the lease of an attached sandbox. */
  close(): void {
    this.#socket.destroy();
  }

  /** Lets the process end although the connection is open. */
  unref(): void {
    this.#socket.unref();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    try {
      if (this.#rest.length > MAX_LINE)
        throw new UcpError('CONTROLPLANE_PROTOCOL', `The control plane sent a line of more than ${MAX_LINE} bytes.`);
      for (const line of lines) if (line !== '') this.#take(line);
    } catch (thrown) {
      this.#fail(toUcpError(thrown));
      this.#socket.destroy();
    }
  }

  #take(line: string): void {
    let message: Reply | Notification;
    try {
      message = JSON.parse(line);
    } catch (cause) {
      throw new UcpError('CONTROLPLANE_PROTOCOL', 'The control plane sent a line that is not JSON.', { cause });
    }
    if ('event' in message) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('error' in message) pending?.reject(fromErrorRecord(message.error));
    else pending?.resolve(message.result);
  }

  #fail(error: UcpError): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
