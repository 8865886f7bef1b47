import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { toUcpError, UcpError } from '../../../core/errors.ts';
import type { SensorPolicyFile } from '../../../core/sensor-protocol.ts';
import { GatewayEvents, type Report } from '../events.ts';
import { gatewayRules, NO_RULES } from '../rules.ts';
import type { Stage } from '../scene.ts';
import { Budget } from './body.ts';
import { Conversations } from './conversations.ts';
import { admit } from './door.ts';
import type { Gate } from './exchange.ts';
import { otherMethod } from './other-methods.ts';
import { post } from './post.ts';
import { replyRejection } from './reply.ts';
import { type Target, Upstream } from './upstream.ts';

/** Connections of clients at one time. */
const MAX_CONNECTIONS = 1024;
/** How long the end waits for events to be handed over, ms. */
const PATIENCE = 1_000;

/** An address that clients come to. */
export interface Door {
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
}

/**
 * A reverse proxy before an MCP server that speaks Streamable HTTP or HTTP+SSE. It listens before the server exists;
 * requests wait for the first policy and for the server. A policy may come, change and go while messages flow.
 */
export class HttpGateway {
  readonly #stage: Stage;
  readonly #token: Buffer | undefined;
  readonly #servers: Server[] = [];
  readonly #gate = new Later<Gate>();
  readonly #policy = new Later<void>();
  #upstream: Upstream | undefined;

  /** `token`: SHA-256, in hexadecimal digits, of the bearer token that clients have to bring. */
  constructor(report: Report, token?: string) {
    this.#stage = { events: new GatewayEvents(report), rules: NO_RULES };
    this.#token = token === undefined ? undefined : Buffer.from(token, 'hex');
  }

  /** Listens; resolves with the port. Rejects with PORT_IN_USE. */
  async listen({ address, port }: Door): Promise<number> {
    const server = createServer(
      { keepAliveTimeout: 65_000 },
      (request, response) => void this.#serve(request, response),
    );
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => reject(cannotListen(address, port, cause)));
      server.listen(port, address, resolve);
    });
    this.#servers.push(server);
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** A policy is in force from now on; null: one without a gateway. Throws INTERNAL and keeps the last one. */
  update(file: SensorPolicyFile | null): void {
    this.#stage.rules = file === null ? NO_RULES : gatewayRules(file);
    this.#stage.events.generation = file?.generation ?? 0;
    this.#policy.resolve(undefined);
  }

  /** The server is there, or will be in a moment. */
  serve(target: Target): void {
    this.#upstream = new Upstream(target);
    this.#gate.resolve({
      stage: this.#stage,
      conversations: new Conversations(this.#stage),
      budget: new Budget(),
      upstream: this.#upstream,
      kept: this.#token === undefined ? [] : ['authorization'],
    });
  }

  /** Ends all connections and hands over what events there are, as far as they can be. */
  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    this.#upstream?.close();
    const timeout = new Promise((resolve) => setTimeout(resolve, PATIENCE).unref());
    await Promise.race([this.#stage.events.flushed(), timeout]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rejection = admit(request, this.#token);
    if (rejection !== undefined) return replyRejection(response, rejection);
    try {
      await this.#policy.promise;
      const gate = await this.#gate.promise;
      if (!(await gate.upstream.reachable())) {
        return replyRejection(response, { status: 503, reason: 'The server in the sandbox does not listen.' });
      }
      const exchange = { gate, request, response, url: request.url ?? '/' };
      await (request.method === 'POST' ? post(exchange) : otherMethod(exchange));
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      replyRejection(response, { status: 502, reason: `The server in the sandbox did not answer: ${reasonOf(error)}` });
    }
  }
}

/** A value that is still to come. */
class Later<Value> {
  resolve: (value: Value) => void = () => undefined;
  readonly promise = new Promise<Value>((resolve) => (this.resolve = resolve));
}

const reasonOf = (error: unknown): string => toUcpError(error).message;

function cannotListen(address: string, port: number, cause: Error): UcpError {
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return new UcpError('PORT_IN_USE', `The address ${address}:${port} is in use: publish another port.`, { cause });
  }
  return new UcpError('GATEWAY_ADDRESS', `The gateway can't listen at ${address}:${port}: ${cause.message}.`, {
    cause,
  });
}
