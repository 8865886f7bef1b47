import type { Conversation } from './conversations.ts';
import type { Exchange } from './exchange.ts';
import { forwarded } from './headers.ts';

/** Headers of a request that are about its own message. */
const OF_THE_MESSAGE = [
  'content-length',
  'content-type',
  'content-encoding',
  'accept',
  'accept-encoding',
  'last-event-id',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
];

/**
 * Answers requests of the server that were refused, where the client's answers would go: in a POST of its session, with
 * what else the client's request `exchange` brought (who it is, the protocol's version).
 */
export function answerServer(exchange: Exchange, conversation: Conversation, answers: readonly unknown[]): void {
  const { gate, request, response, url } = exchange;
  const { session } = conversation.scene.setting;
  const own = request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const mirrors = own.filter((name) => name.startsWith('mcp-param-'));
  const headers = forwarded(request.rawHeaders, [...gate.kept, ...OF_THE_MESSAGE, ...mirrors]);
  if (session !== undefined) headers.push('Mcp-Session-Id', session);
  headers.push('Content-Type', 'application/json', 'Accept', 'application/json, text/event-stream');
  for (const answer of answers) {
    const body = Buffer.from(JSON.stringify(answer));
    const out = {
      method: 'POST',
      path: conversation.address ?? url,
      headers: [...headers, 'Content-Length', `${body.length}`],
    };
    gate.upstream.send(out, body, response).then(
      (incoming) => incoming.resume(),
      // The server is gone; its request was not passed on all the same.
      () => undefined,
    );
  }
}
