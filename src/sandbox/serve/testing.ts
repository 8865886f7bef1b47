import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';

import { expect, vi } from 'vitest';

import { Bridge } from './bridge.ts';
import type { ServedSandbox } from './session.ts';

type Json = Readonly<Record<string, unknown>>;

/** A stdio server in memory: what it heard, and what the test has it say. */
export class FakeServer implements ServedSandbox {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly heard: Json[] = [];
  readonly lines: string[] = [];
  readonly ended: Promise<string>;
  end: (why: string) => void = () => undefined;

  constructor(answers: (message: Json, server: FakeServer) => void) {
    this.ended = new Promise((resolve) => {
      this.end = (why) => {
        this.stdout.end();
        resolve(why);
      };
    });
    const lines = createInterface({ input: this.stdin });
    lines.on('line', (line) => {
      this.lines.push(line);
      const message: Json = JSON.parse(line);
      this.heard.push(message);
      answers(message, this);
    });
    lines.on('close', () => this.end('ended with its input'));
  }

  say(message: Json): void {
    this.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** A bridge before servers in memory, and a client of it. */
export class BridgeScene implements AsyncDisposable {
  readonly servers: FakeServer[] = [];
  readonly notes: string[] = [];
  readonly bridge: Bridge;
  url = '';

  /** By default a server answers every request with its own number and the request's method. */
  constructor(answers: (message: Json, server: FakeServer, number: number) => void = echo) {
    this.bridge = new Bridge({
      start: () => {
        const number = this.servers.length;
        const server = new FakeServer((message, it) => answers(message, it, number));
        this.servers.push(server);
        return server;
      },
      note: (line) => this.notes.push(line),
    });
  }

  async listen(): Promise<this> {
    this.url = `http://127.0.0.1:${await this.bridge.listen({ address: '127.0.0.1', port: 0 })}/mcp`;
    return this;
  }

  post(message: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** A session's header. */
  async initialize(): Promise<Readonly<Record<string, string>>> {
    const answer = await this.post(request(0, 'initialize'));
    await answer.text();
    return { 'Mcp-Session-Id': answer.headers.get('mcp-session-id') ?? '' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bridge.close();
  }
}

/** A request. */
export function request(id: number | string, method: string, params: Json = {}): Json {
  return { jsonrpc: '2.0', id, method, params };
}

function echo(message: Json, server: FakeServer, number: number): void {
  if ('id' in message && 'method' in message)
    server.say({ id: message['id'], result: { by: number, method: message['method'] } });
}

/** Waits for what a test's own messages bring about. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect({ [what]: condition() }).toEqual({ [what]: true }), { timeout: 10_000, interval: 5 });
}

/** Reads events from a stream until there are `count`, then goes away. */
export async function events(response: Response, count: number): Promise<readonly { id: string; data: unknown }[]> {
  const found: { id: string; data: unknown }[] = [];
  let text = '';
  const decoder = new TextDecoder();
  if (response.body === null) return found;
  const reader = response.body.getReader();
  while (found.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id = '', data = ''] = /^(?:event: message\n)?id: (\S+)\ndata:\s?(.*)$/s.exec(block) ?? [];
      if (data !== '') found.push({ id, data: JSON.parse(data) as unknown });
    }
  }
  await reader.cancel();
  return found;
}
