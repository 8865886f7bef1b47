import {
  createServer,
  type IncomingMessage,
  request,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

import type { JsonObject } from '../../../core/json.ts';
import type { SensorLine } from '../../../core/sensor-protocol.ts';
import { DENY, fileOf } from '../testing.ts';
import { HttpGateway } from './http-gateway.ts';

/** What somebody got: status, headers, body. */
export interface Heard {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a server in a test does with a request whose body it has read. */
type Behaviour = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A gateway between clients and a server that are both the test. */
export class HttpScene implements AsyncDisposable {
  readonly lines: SensorLine[] = [];
  readonly gateway: HttpGateway;
  /** Bodies of what reached the server. */
  readonly reached: string[] = [];
  readonly requests: IncomingMessage[] = [];
  behaviour: Behaviour = (_, response) => void response.writeHead(202).end();
  port = 0;
  readonly #server: Server;

  private constructor(token?: string) {
    this.gateway = new HttpGateway(async (lines) => void this.lines.push(...lines), token);
    this.#server = createServer((incoming, response) => {
      void this.#answer(incoming, response);
    });
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    this.reached.push(body);
    this.requests.push(incoming);
    this.behaviour(incoming, response, body);
  }

  /** `mcp` undefined: {@link DENY}; null: a policy without a gateway. */
  static async under(
    mcp: Parameters<typeof fileOf>[0] | null = DENY,
    { remediate = true, token }: { readonly remediate?: boolean; readonly token?: string } = {},
  ): Promise<HttpScene> {
    const scene = new HttpScene(token);
    await new Promise<void>((resolve) => {
      scene.#server.listen(0, '127.0.0.1', resolve);
    });
    const bound = scene.#server.address();
    const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0;
    scene.port = await scene.gateway.listen({ address: '127.0.0.1', port: 0 });
    scene.gateway.serve({ host: '127.0.0.1', port });
    scene.gateway.update(mcp === null ? null : fileOf(mcp, remediate));
    return scene;
  }

  /** Answers every POST with this. */
  answers(body: JsonObject | readonly JsonObject[] | string, type = 'application/json', headers = {}): void {
    this.behaviour = (_, response) => {
      response.writeHead(200, { 'Content-Type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  }

  /** Opens a request; resolves with the head of its response. */
  open(method: string, options: RequestOptions = {}, body?: string | Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: this.port, path: '/mcp', agent: false, ...options, method },
        resolve,
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Sends messages as a client does. */
  async post(messages: unknown, headers: Readonly<Record<string, string>> = {}, path = '/mcp'): Promise<Heard> {
    const body = typeof messages === 'string' || Buffer.isBuffer(messages) ? messages : JSON.stringify(messages);
    const options = {
      path,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    };
    return hear(await this.open('POST', options, body));
  }

  async events(): Promise<readonly SensorLine[]> {
    await this.gateway.close();
    return this.lines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Reads a response to its end. */
export async function hear(response: IncomingMessage): Promise<Heard> {
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** A message. */
export function rpc(message: JsonObject): JsonObject {
  return { jsonrpc: '2.0', ...message };
}

/** The call of a tool. */
export const toolCall = (id: number | string, name: string, args?: JsonObject): JsonObject =>
  rpc({ id, method: 'tools/call', params: { name, ...(args === undefined ? {} : { arguments: args }) } });

/** An event as servers write it. */
export const event = (message: JsonObject, id?: string): string =>
  `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
