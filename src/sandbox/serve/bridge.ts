import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { UcpError } from '../../core/errors.ts';
import { Budget, readBody } from '../gateway/http/body.ts';
import { admit } from '../gateway/http/door.ts';
import { mediaType } from '../gateway/http/headers.ts';
import { HEADER_MISMATCH, headerProblem } from '../gateway/http/params.ts';
import { replyJson, replyRejection, rpcError } from '../gateway/http/reply.ts';
import { readBytes } from '../gateway/read-line.ts';
import { isModern, readMessages, type Text } from './messages.ts';
import { Pool } from './pool.ts';
import { type Delivery, type ServedSandbox, Session } from './session.ts';

/** Clients that have a sandbox at one time. */
const MAX_SESSIONS = 32;
const MAX_CONNECTIONS = 1024;
/** How long a session that nobody uses is kept, and how often that is looked at, ms. */
const IDLE = 30 * 60_000;
const BEAT = 25_000;

const SESSION_UNKNOWN = { status: 404, reason: 'There is no such session: initialize a new one.' };

/** How a bridge gets its sandboxes, and what it says to its user. */
export interface BridgeOptions {
  start(): ServedSandbox;
  /** SHA-256, in hexadecimal digits, of the bearer token that clients have to bring. */
  readonly token?: string;
  note(line: string): void;
}

/**
 * Streamable HTTP before a stdio server. Each session has a sandbox of its own, from `initialize` to DELETE; requests of
 * the era without sessions take turns on sandboxes that they share, one request at a time.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #token: Buffer | undefined;
  readonly #sessions = new Map<string, Session>();
  readonly #pool: Pool;
  readonly #budget = new Budget();
  readonly #server: Server;
  readonly #beat: NodeJS.Timeout;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#token = options.token === undefined ? undefined : Buffer.from(options.token, 'hex');
    this.#pool = new Pool(() => this.#open());
    this.#server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#beat = setInterval(() => this.#look(), BEAT).unref();
  }

  /** Listens; resolves with the port. Rejects with PORT_IN_USE. */
  async listen({ address, port }: { readonly address: string; readonly port: number }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) =>
        reject(new UcpError('PORT_IN_USE', `Nobody can listen at ${address}:${port}: ${cause.message}.`, { cause })),
      );
      this.#server.listen(port, address, resolve);
    });
    const bound = this.#server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** Ends all sessions and connections; resolves when the sandboxes have ended. */
  async close(): Promise<void> {
    clearInterval(this.#beat);
    this.#server.close();
    const ends = [...this.#sessions.values()].map(async (session) => session.end());
    await Promise.all([...ends, this.#pool.close()]);
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rejection = admit(request, this.#token);
    if (rejection !== undefined) return replyRejection(response, rejection);
    if (!/^\/(?:mcp\/?)?(?:\?|$)/.test(request.url ?? '')) {
      return replyRejection(response, { status: 404, reason: 'MCP is at /mcp.' });
    }
    if (request.method === 'POST') return this.#post(request, response);
    const session = this.#sessions.get(sessionOf(request) ?? '');
    if (request.method === 'GET' && sessionOf(request) !== undefined) return listen(session, request, response);
    if (request.method !== 'DELETE' || sessionOf(request) === undefined) {
      const headers = { Allow: 'POST, GET, DELETE' };
      return replyRejection(response, { status: 405, reason: 'This needs a session.', headers });
    }
    if (session === undefined) return replyRejection(response, SESSION_UNKNOWN);
    this.#sessions.delete(session.id);
    await session.end();
    response.writeHead(204).end();
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { type, utf8 } = mediaType(request.headers['content-type']);
    if (type !== 'application/json' || !utf8 || request.headers['content-encoding'] !== undefined) {
      return replyRejection(response, { status: 415, reason: 'Messages are plain JSON in UTF-8.' });
    }
    using body = await readBody(request, this.#budget);
    if (!body.whole) return replyRejection(response, { status: 413, reason: 'The message is too long.' });
    const text = readMessages(body.bytes);
    if (text === undefined) {
      return replyJson(response, 400, rpcError(null, { code: -32700, message: 'It is no message of JSON-RPC 2.0.' }));
    }
    const reading = readBytes(body.bytes);
    const problem = reading.kind === 'messages' ? headerProblem(request.headers, reading.messages) : undefined;
    if (problem !== undefined) {
      const error = { code: HEADER_MISMATCH, message: `HeaderMismatch: ${problem}` };
      return replyJson(response, 400, rpcError(text.messages[0]?.['id'] ?? null, error));
    }
    await this.#deliver(text, request, response);
  }

  async #deliver(text: Text, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const version = request.headers['mcp-protocol-version'];
    const header = typeof version === 'string' ? version : undefined;
    const accept = request.headers.accept ?? '*/*';
    const delivery: Delivery = {
      response,
      headers: {},
      prime: (header ?? '') >= '2025-11-25',
      json: /application\/(?:json|\*)|\*\/\*/i.test(accept),
    };
    const id = sessionOf(request);
    if (id !== undefined) {
      const session = this.#sessions.get(id);
      if (session === undefined) return replyRejection(response, SESSION_UNKNOWN);
      if (session.waitsFor(text)) {
        return replyRejection(response, { status: 400, reason: 'A request of this id waits for its answer.' });
      }
      return session.post(text, delivery);
    }
    const [first] = text.messages;
    if (first?.['method'] === 'initialize' && !isModern(first, undefined)) return this.#initialize(text, delivery);
    if (first !== undefined && isModern(first, header)) return this.#pool.post(text, { ...delivery, prime: false });
    replyRejection(response, { status: 400, reason: 'The header Mcp-Session-Id is missing: initialize first.' });
  }

  async #initialize(text: Text, delivery: Delivery): Promise<void> {
    if (this.#sessions.size >= MAX_SESSIONS) {
      return replyRejection(delivery.response, { status: 503, reason: 'There are too many sessions: end one.' });
    }
    const session = this.#open();
    this.#sessions.set(session.id, session);
    await session.post(text, { ...delivery, headers: { 'Mcp-Session-Id': session.id } });
  }

  #open(): Session {
    const sandbox = this.#options.start();
    const session = new Session(sandbox, (line) => this.#options.note(line));
    void sandbox.ended.then(() => this.#sessions.delete(session.id));
    return session;
  }

  #look(): void {
    for (const session of this.#sessions.values()) {
      session.beat();
      if (session.busy || Date.now() - session.used < IDLE) continue;
      this.#sessions.delete(session.id);
      void session.end();
    }
    this.#pool.look();
  }
}

function sessionOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

function listen(session: Session | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (session === undefined) return replyRejection(response, SESSION_UNKNOWN);
  const last = request.headers['last-event-id'];
  if (session.listen(response, {}, typeof last === 'string' ? last : undefined)) return;
  replyRejection(response, { status: 409, reason: 'Somebody listens to this session already.' });
}
