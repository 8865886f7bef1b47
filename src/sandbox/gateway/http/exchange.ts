import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

import type { Stage } from '../scene.ts';
import type { Budget } from './body.ts';
import { carry } from './carry.ts';
import type { Conversation, Conversations } from './conversations.ts';
import { forwarded } from './headers.ts';
import { answerTo, type Outgoing, type Upstream } from './upstream.ts';

/** What all exchanges of one gateway share. */
export interface Gate {
  readonly stage: Stage;
  readonly conversations: Conversations;
  readonly budget: Budget;
  readonly upstream: Upstream;
  /** Request headers that are the gateway's own business, in small letters. */
  readonly kept: readonly string[];
}

/** One request of a client and its response. */
export interface Exchange {
  readonly gate: Gate;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. */
  readonly url: string;
}

/** The session that a request names. */
export function sessionOf({ request }: Exchange): string | undefined {
  const session = request.headers['mcp-session-id'];
  return typeof session === 'string' ? session : undefined;
}

/** The request as it goes on. With rules nothing may come back compressed: it could not be read. */
export function outgoing({ gate, request, url }: Exchange, raw: readonly string[] = request.rawHeaders): Outgoing {
  const read = gate.stage.rules.enabled ? ['accept-encoding'] : [];
  const headers = forwarded(raw, [...gate.kept, ...read, 'content-length']);
  if (gate.stage.rules.enabled) headers.push('Accept-Encoding', 'identity');
  return { method: request.method ?? 'GET', path: url, headers };
}

/** Sends the request on with its body unread, apart from `begun`, which was read. Resolves with the response. */
export async function sendUnread(exchange: Exchange, begun: Buffer = Buffer.alloc(0)): Promise<IncomingMessage> {
  const { gate, request, response } = exchange;
  const out = outgoing(exchange);
  const length = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  const framing = length !== undefined ? ['Content-Length', length] : chunked ? ['Transfer-Encoding', 'chunked'] : [];
  const sent = gate.upstream.open({ ...out, headers: [...out.headers, ...framing] }, response);
  const answered = answerTo(sent);
  if (begun.length > 0) sent.write(begun);
  // A server may answer before it has read everything: what counts is the answer.
  pipeline(request, sent).catch(() => undefined);
  return answered;
}

/** Passes a response on with its body unread, apart from `begun`, which was read. */
export async function passUnread(
  { response }: Exchange,
  incoming: IncomingMessage,
  begun: Buffer = Buffer.alloc(0),
): Promise<void> {
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, forwarded(incoming.rawHeaders));
  if (begun.length > 0) response.write(begun);
  await carry(incoming, response, { take: (chunk) => void response.write(chunk), end: () => response.end() });
}

/** Passes a response on with another body; `undefined`: without one. */
export function passWith({ response }: Exchange, incoming: IncomingMessage, body: Buffer | undefined): void {
  const headers = forwarded(incoming.rawHeaders, ['content-length']);
  if (body !== undefined) headers.push('Content-Length', String(body.length));
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headers);
  response.end(body);
  if (!incoming.readableEnded) incoming.resume();
}

/** A server named a session: what it says and is asked from now on belongs to it. */
export function nameSession({ gate, url }: Exchange, incoming: IncomingMessage, conversation: Conversation): void {
  const session = incoming.headers['mcp-session-id'];
  if (typeof session !== 'string' || conversation.scene.setting.session === session) return;
  gate.conversations.named(url, session, conversation);
}
