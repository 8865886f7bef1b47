import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

import { UcpError } from '../../core/errors.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { VERSION } from '../../core/version.ts';
import { field } from '../../core/unknown.ts';
import { isObject } from './shape.ts';

/** What a server says of itself. */
export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly JsonObject[];
}

const PROTOCOL = '2025-11-25';
/** More pages than any server has: one that never ends its list is broken. */
const MAX_PAGES = 1000;
/** JSON-RPC's "method not found". */
const NOT_FOUND = -32601;

/** A stdio MCP server's own ends of its pipes. */
export interface ServerPipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * Initializes the server and reads all pages of its tools. Rejects with SERVER_CHECK_FAILED when it answers with an
 * error or its output ends; never by itself when it is silent.
 */
export async function askTools(pipes: ServerPipes): Promise<ServerFacts> {
  const conversation = new Conversation(pipes);
  const initialized = await conversation.ask('initialize', {
    protocolVersion: PROTOCOL,
    capabilities: {},
    clientInfo: { name: 'ucp-sandbox', version: VERSION },
  });
  conversation.send({ method: 'notifications/initialized' });
  const server = field(initialized, 'serverInfo');
  const hasTools = isObject(field(field(initialized, 'capabilities'), 'tools'));
  return {
    name: text(field(server, 'name')),
    version: text(field(server, 'version')),
    tools: hasTools ? await allTools(conversation) : [],
  };
}

async function allTools(conversation: Conversation): Promise<readonly JsonObject[]> {
  const tools: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await conversation.ask('tools/list', cursor === undefined ? {} : { cursor });
    const listed = field(result, 'tools');
    if (!Array.isArray(listed)) throw failed('answered tools/list without a list of tools');
    tools.push(...listed.filter(isObject));
    const next = field(result, 'nextCursor');
    if (typeof next !== 'string') return tools;
    cursor = next;
  }
  throw failed(`has more than ${MAX_PAGES} pages of tools`);
}

/** Questions and answers in JSON-RPC lines. */
class Conversation {
  readonly #pipes: ServerPipes;
  readonly #lines: AsyncIterator<string>;
  #id = 0;

  constructor(pipes: ServerPipes) {
    this.#pipes = pipes;
    this.#lines = createInterface({ input: pipes.stdout })[Symbol.asyncIterator]();
    // A server that has gone away is told of by the end of its output.
    pipes.stdin.on('error', () => undefined);
  }

  send(message: JsonObject): void {
    this.#pipes.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async ask(method: string, params: JsonObject): Promise<unknown> {
    const id = ++this.#id;
    this.send({ id, method, params });
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw failed(`ended before it answered ${method}`);
      const message = parsed(value);
      if (message?.['method'] !== undefined) this.#serve(message);
      else if (message?.['id'] === id) return result(method, message);
    }
  }

  /** What a server may ask of a client before it answers. */
  #serve(message: JsonObject): void {
    const id = message['id'];
    if (id === undefined) return;
    const answer: Record<string, JsonValue> =
      message['method'] === 'ping'
        ? { result: {} }
        : { error: { code: NOT_FOUND, message: 'not available while tools are listed' } };
    this.send({ id, ...answer });
  }
}

function result(method: string, message: JsonObject): unknown {
  const error = message['error'];
  if (error !== undefined) throw failed(`refused ${method}: ${text(field(error, 'message'))}`);
  return message['result'];
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function failed(what: string): UcpError {
  return new UcpError('SERVER_CHECK_FAILED', `The server ${what}.`);
}
