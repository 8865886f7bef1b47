import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between chunks of a stream. */
const SPACING = 40;

/** A model vendor that speaks both wire formats. */
export class Vendor implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async listening(): Promise<Vendor> {
    const vendor = new Vendor();
    await new Promise<void>((resolve) => {
      vendor.#server.listen(0, '127.0.0.1', resolve);
    });
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = (await json(request)) as { model: string; stream?: boolean };
    if (asked.model === 'missing') return reply(response, 404, { error: { message: 'no such model' } });
    if (request.url?.startsWith('/v1/messages') === true) {
      return reply(response, 200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-x-1',
        content: [{ type: 'text', text: 'hello from anthropic' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 7, output_tokens: 3 },
      });
    }
    if (asked.stream !== true) {
      return reply(response, 200, {
        id: 'chat_1',
        model: 'gpt-x-1',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }],
        usage: { prompt_tokens: 5, completion_tokens: 2 },
      });
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pieces = asked.model === 'split' ? ['it is sk-live-01234', '56789abcdef', '!'] : ['one', 'two', 'three'];
    for (const content of pieces) {
      const chunk = { id: 'chat_2', model: 'gpt-x-1', choices: [{ index: 0, delta: { content } }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      await pause(SPACING);
    }
    response.end('data: [DONE]\n\n');
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
