import { passAnswer } from './answer.ts';
import { type Exchange, passUnread, sendUnread, sessionOf } from './exchange.ts';
import { replyRefusal } from './reply.ts';

/** Metadata of the server for clients that log in (RFC 8615); no messages are there. */
const WELL_KNOWN = /^\/\.well-known\//;

/** A client's wish to listen, to end its session, to know what it may do; what is none of these is no MCP. */
export async function otherMethod(exchange: Exchange): Promise<void> {
  const { gate, request, response, url } = exchange;
  const session = sessionOf(exchange);
  const conversation = gate.conversations.of(url, session);
  if (request.method === 'GET' || request.method === 'HEAD') {
    const incoming = await sendUnread(exchange);
    if (WELL_KNOWN.test(url)) return passUnread(exchange, incoming);
    return passAnswer(exchange, incoming, { conversation, ids: [], refused: [], batch: false });
  }
  if (gate.stage.rules.enabled && request.method !== 'DELETE' && request.method !== 'OPTIONS') {
    const refusal = conversation.scene.unjudged(
      '',
      `the protocol has no use for ${request.method ?? 'its HTTP method'}`,
    );
    if (refusal !== undefined) return replyRefusal(response, 405, refusal);
  }
  const incoming = await sendUnread(exchange);
  if (request.method === 'DELETE' && session !== undefined && incoming.statusCode === 200) {
    gate.conversations.ended(url, session);
  }
  await passUnread(exchange, incoming);
}
