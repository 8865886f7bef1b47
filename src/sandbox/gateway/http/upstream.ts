import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Where a server listens. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A request as it goes to the server; `headers`: names and values in turn. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
}

/** How long a server that never answered may take to listen, and the pause between two looks at it, ms. */
const PATIENCE = 30_000;
const PAUSE = 100;
/** How long a connection may be idle and be used again, ms: shorter than servers keep theirs. */
const IDLE = 2_000;

/** The server behind the gateway. */
export class Upstream {
  readonly #target: Target;
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE, scheduling: 'lifo' });
  #listening: Promise<boolean> | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Whether the server can be reached; while it has never been, it is waited for. */
  async reachable(): Promise<boolean> {
    this.#listening ??= this.#waitFor();
    const listening = await this.#listening;
    if (!listening) this.#listening = undefined;
    return listening;
  }

  /** Sends a request with a body that is here; resolves with the head of the response. Rejects when there is none. */
  async send(outgoing: Outgoing, body: Buffer | undefined, client: Writable): Promise<IncomingMessage> {
    const sent = this.open(outgoing, client);
    sent.end(body);
    try {
      return await answerTo(sent);
    } catch (error) {
      // The server closed a connection that was idle just as it was used.
      if (!sent.reusedSocket || client.destroyed || !isReset(error)) throw error;
      const again = this.open(outgoing, client);
      again.end(body);
      return answerTo(again);
    }
  }

  /** Begins a request whose body is written by the caller; it ends when `client`, who gets the response, is gone. */
  open({ method, path, headers }: Outgoing, client: Writable): ClientRequest {
    const sent = request({ ...this.#target, agent: this.#agent, method, path, headers: [...headers] });
    const leave = (): void => {
      if (!client.writableFinished) sent.destroy();
    };
    if (client.destroyed) leave();
    else client.once('close', leave);
    return sent;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #waitFor(): Promise<boolean> {
    const until = Date.now() + PATIENCE;
    for (;;) {
      if (await canConnect(this.#target)) return true;
      if (Date.now() > until) return false;
      await delay(PAUSE, undefined, { ref: false });
    }
  }
}

/** The head of the response to a request that was sent. */
export function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', (response) => {
      // Whoever reads it learns of it; an aborted one may have no reader any more.
      response.on('error', () => undefined);
      resolve(response);
    });
    sent.on('error', reject);
  });
}

function canConnect({ host, port }: Target): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const say = (reachable: boolean) => (): void => {
      socket.destroy();
      resolve(reachable);
    };
    socket.once('connect', say(true));
    socket.once('error', say(false));
    socket.setTimeout(PAUSE * 10, say(false));
  });
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
