import type { ServerResponse } from 'node:http';

import type { Refusal } from '../scene.ts';
import type { Rejection } from './door.ts';
import { writeBlock } from './blocks.ts';

/** A JSON-RPC error; `id` null: nobody knows which request it belongs to. */
export function rpcError(id: unknown, error: object): object {
  return { jsonrpc: '2.0', id, error };
}

/** Answers with JSON. */
export function replyJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/** Answers messages in the form that the client takes. */
export function replyMessages(response: ServerResponse, messages: readonly unknown[], batch: boolean): void {
  const accept = response.req.headers.accept ?? '*/*';
  if (!/text\/event-stream/i.test(accept) || /application\/(?:json|\*)|\*\/\*/i.test(accept)) {
    return replyJson(response, 200, batch ? messages : messages[0]);
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  response.end(
    Buffer.concat(messages.map((message) => writeBlock({ event: 'message', data: JSON.stringify(message) }))),
  );
}

/** Refuses what was never read as a message. */
export function replyRejection(response: ServerResponse, { status, reason, headers }: Rejection): void {
  replyJson(response, status, rpcError(null, { code: -32000, message: reason }), { ...headers, Connection: 'close' });
}

/** Refuses what could not be judged. */
export function replyRefusal(
  response: ServerResponse,
  status: number,
  refusal: Refusal,
  ids: readonly unknown[] = [],
): void {
  const errors = ids.map((id) => rpcError(id, refusal));
  if (errors.length === 0) return replyJson(response, status, rpcError(null, refusal));
  replyMessages(response, errors, errors.length > 1);
}
