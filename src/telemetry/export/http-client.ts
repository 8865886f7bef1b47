import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

import type { Clock } from '../../core/ports.ts';
import { field } from '../../core/unknown.ts';
import { VERSION } from '../../core/version.ts';
import { logsUrl, type ExportTarget } from './target.ts';

/** Responses beyond this are not read (OTLP 1.11). */
const MAX_RESPONSE = 4 * 1024 * 1024;

/** The receiver's answer, as far as it came. */
export type HttpOutcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly type: string;
      /** Undefined where it was longer than the limit. */
      readonly body: Buffer | undefined;
    }
  | { readonly kind: 'failure'; readonly reason: string };

/** What node:http and node:https have in common. */
interface Http {
  readonly Agent: new (options: typeof POOL) => Agent;
  readonly request: typeof request;
}

const compress = promisify(gzip);

/**
 * Posts OTLP requests over one kept connection. node:http, not fetch: it follows no redirect, lets go of a response
 * at any byte, and costs no second HTTP stack in memory.
 */
export class HttpClient {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #gzip: boolean;
  readonly #request: typeof request;
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #timeout: number;
  #current: ClientRequest | undefined;
  #closed = false;

  private constructor(http: Http, target: ExportTarget, clock: Clock, timeout: number) {
    this.#url = logsUrl(target.eventUrl);
    this.#request = http.request;
    this.#headers = target.headers ?? {};
    this.#gzip = target.compression !== 'none';
    this.#agent = new http.Agent(POOL);
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** Loads HTTP or, only where the address asks for it, TLS. */
  static async create(target: ExportTarget, clock: Clock, timeout: number): Promise<HttpClient> {
    const { protocol } = logsUrl(target.eventUrl);
    const http = protocol === 'https:' ? await import('node:https') : await import('node:http');
    return new HttpClient(http, target, clock, timeout);
  }

  /** One attempt; never rejects. `timeout` covers all of it, to the last byte of the response. */
  async post(body: Uint8Array): Promise<HttpOutcome> {
    // Level 1: a fifth larger than the default and three times as fast; the processor is the scarcer thing here.
    const sent = this.#gzip ? await compress(body, { level: constants.Z_BEST_SPEED }) : body;
    if (this.#closed) return { kind: 'failure', reason: GIVEN_UP };
    return new Promise((resolve) => {
      const request = this.#request(this.#url, {
        method: 'POST',
        agent: this.#agent,
        headers: this.#requestHeaders(sent.length),
      });
      this.#current = request;
      const cancel = this.#clock.after(this.#timeout, () =>
        request.destroy(new Error(`no complete answer within ${this.#timeout} ms`)),
      );
      const finish = (outcome: HttpOutcome): void => {
        cancel();
        this.#current = undefined;
        resolve(outcome);
      };
      request.on('error', (error) => finish({ kind: 'failure', reason: reasonOf(error) }));
      request.on('response', (response) => {
        readBody(response).then(
          (read) => finish(answerOf(response, read)),
          (error: unknown) => finish({ kind: 'failure', reason: reasonOf(error) }),
        );
      });
      request.end(sent);
    });
  }

  /** Ends the attempt that is under way, and any later one; they resolve as failures. */
  close(): void {
    this.#closed = true;
    this.#current?.destroy(new Error(GIVEN_UP));
    this.#agent.destroy();
  }

  #requestHeaders(length: number): Record<string, string | number> {
    return {
      'user-agent': `ucp/${VERSION}`,
      ...this.#headers,
      'content-type': 'application/x-protobuf',
      ...(this.#gzip && { 'content-encoding': 'gzip' }),
      'content-length': length,
    };
  }
}

const GIVEN_UP = 'given up at shutdown';
const POOL = { keepAlive: true, maxSockets: 1 } as const;

function answerOf(response: IncomingMessage, body: Buffer | undefined): HttpOutcome {
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    type: response.headers['content-type'] ?? '',
    body,
  };
}

async function readBody(response: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and the connection with it.
    if (size > MAX_RESPONSE) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  const code = field(error, 'code');
  const message = error instanceof Error ? error.message : String(error);
  return typeof code === 'string' && !message.includes(code) ? `${code}: ${message}` : message;
}
