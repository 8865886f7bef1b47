import type { IncomingMessage } from 'node:http';

import { judgeMessages, written } from '../judge.ts';
import { readBytes } from '../read-line.ts';
import type { Refusal } from '../scene.ts';
import { answerServer } from './answer-server.ts';
import { readBody } from './body.ts';
import { carry } from './carry.ts';
import type { Conversation } from './conversations.ts';
import { type Exchange, nameSession, passUnread, passWith } from './exchange.ts';
import { forwarded, mediaType } from './headers.ts';
import { JudgedStream, learn } from './judged-stream.ts';
import { replyMessages, replyRefusal, rpcError } from './reply.ts';

/** What the response belongs to. */
export interface Asked {
  readonly conversation: Conversation;
  /** Ids of the requests that went on. */
  readonly ids: readonly unknown[];
  /** Refusals of others that came with them. */
  readonly refused: readonly unknown[];
  readonly batch: boolean;
}

/** Longest body that is kept to learn a server's name from, bytes. */
const MAX_GLANCE = 64 * 1024;

/** Judges the response to a client's messages, or to its wish to listen, and passes it on. */
export async function passAnswer(exchange: Exchange, incoming: IncomingMessage, asked: Asked): Promise<void> {
  const success = isSuccess(incoming);
  if (success) nameSession(exchange, incoming, asked.conversation);
  if (success && mediaType(incoming.headers['content-type']).type === 'text/event-stream') {
    return passEvents(exchange, incoming, asked);
  }
  if (!exchange.gate.stage.rules.enabled) return glance(exchange, incoming, asked);
  return passJudged(exchange, incoming, asked);
}

const isSuccess = ({ statusCode = 502 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

/** Anything but a stream. */
async function passJudged(exchange: Exchange, incoming: IncomingMessage, asked: Asked): Promise<void> {
  const status = incoming.statusCode;
  const success = isSuccess(incoming);
  const { type, utf8 } = mediaType(incoming.headers['content-type']);
  const problem = unreadable(exchange, incoming, utf8);
  if (problem !== undefined) return refuse(exchange, incoming, asked, problem);
  // An answer to a POST that has none: the standard gives it no body, and nobody reads one.
  if (status === 202 || status === 204) return passNothing(exchange, incoming, asked);
  if (type === 'application/json') return passJson(exchange, incoming, asked, success);
  if (!success || exchange.request.method === 'HEAD') return passUnread(exchange, incoming);
  return refuse(exchange, incoming, asked, `the server answers with ${type === '' ? 'nothing that has a type' : type}`);
}

/** What keeps a response from being read as the protocol allows. */
function unreadable({ request }: Exchange, { headers }: IncomingMessage, utf8: boolean): string | undefined {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') return `the server compresses with ${coding} unasked`;
  if (!utf8) return 'the server answers in another charset than UTF-8';
  const { location } = headers;
  if (location === undefined) return undefined;
  const base = `http://${request.headers.host ?? ''}`;
  const own = URL.canParse(location, base) && new URL(location, base).host === new URL(base).host;
  return own ? undefined : 'the server sends the client to another place';
}

async function passEvents(exchange: Exchange, incoming: IncomingMessage, asked: Asked): Promise<void> {
  const { gate, request, response, url } = exchange;
  const { conversation } = asked;
  const { scene } = conversation;
  const coding = incoming.headers['content-encoding'];
  if (gate.stage.rules.enabled && coding !== undefined && coding !== 'identity') {
    const refusal = scene.unjudged('', `the server compresses with ${coding} unasked`);
    if (refusal !== undefined) return refuseWith(exchange, incoming, asked, refusal);
  }
  const addresses = new Set<string>();
  const addressed = (address: string): boolean => {
    const base = `http://${request.headers.host ?? ''}${url}`;
    if (!URL.canParse(address, base)) return false;
    const to = new URL(address, base);
    if (to.host !== new URL(base).host) return false;
    addresses.add(`${to.pathname}${to.search}`);
    gate.conversations.addressed(`${to.pathname}${to.search}`, conversation);
    conversation.say = (messages) => stream.say(messages);
    return true;
  };
  const answer = (answers: readonly unknown[]): void => answerServer(exchange, conversation, answers);
  const stream = new JudgedStream({ scene, budget: gate.budget, addressed, answer }, response);
  response.writeHead(incoming.statusCode ?? 200, forwarded(incoming.rawHeaders, ['content-length']));
  // What is here already leaves together with the head.
  setImmediate(() => response.flushHeaders());
  stream.say(asked.refused);
  try {
    await carry(incoming, response, stream);
  } finally {
    stream.close();
    for (const address of addresses) gate.conversations.closed(address);
  }
}

async function passJson(exchange: Exchange, incoming: IncomingMessage, asked: Asked, success: boolean): Promise<void> {
  const { gate } = exchange;
  const { scene } = asked.conversation;
  using body = await readBody(incoming, gate.budget);
  if (!body.whole)
    return refuse(exchange, incoming, asked, 'an answer of the server is too long to be read', body.bytes);
  const reading = readBytes(body.bytes);
  if (reading.kind !== 'messages') {
    if (!success || reading.kind === 'blank') return passWith(exchange, incoming, body.bytes);
    return refuse(exchange, incoming, asked, `what the server answers is no message: ${reading.problem}`, body.bytes);
  }
  const { untouched, passed, answers } = judgeMessages(scene, reading, 'to-client');
  if (answers.length > 0) answerServer(exchange, asked.conversation, answers);
  if (untouched && asked.refused.length === 0) return passWith(exchange, incoming, body.bytes);
  const messages = [...asked.refused, ...passed];
  const text = written(messages, reading.batch || asked.batch || messages.length > 1);
  passWith(exchange, incoming, text === undefined ? undefined : Buffer.from(text));
}

function passNothing(exchange: Exchange, incoming: IncomingMessage, asked: Asked): void {
  if (asked.refused.length > 0) replyMessages(exchange.response, asked.refused, asked.batch);
  else if (exchange.gate.stage.rules.failsClosed) passWith(exchange, incoming, Buffer.alloc(0));
  else return void passUnread(exchange, incoming).catch(() => exchange.response.destroy());
  incoming.resume();
}

/** Tells of a response that can't be judged and refuses what it belongs to, unless policy lets it pass. */
async function refuse(
  exchange: Exchange,
  incoming: IncomingMessage,
  asked: Asked,
  problem: string,
  begun?: Buffer,
): Promise<void> {
  const refusal = asked.conversation.scene.unjudged('', problem);
  if (refusal === undefined) return passUnread(exchange, incoming, begun);
  refuseWith(exchange, incoming, asked, refusal);
}

function refuseWith({ response }: Exchange, incoming: IncomingMessage, asked: Asked, refusal: Refusal): void {
  incoming.destroy();
  const errors = [...asked.refused, ...asked.ids.map((id) => rpcError(id, refusal))];
  if (errors.length === 0) replyRefusal(response, 502, refusal);
  else replyMessages(response, errors, asked.batch || errors.length > 1);
}

/** Without rules a response passes unread; a short one may hold the server's name, which a later policy must know. */
async function glance(exchange: Exchange, incoming: IncomingMessage, { conversation }: Asked): Promise<void> {
  const length = Number(incoming.headers['content-length'] ?? Number.NaN);
  if (conversation.scene.server === undefined && length <= MAX_GLANCE) {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => learn(conversation.scene, Buffer.concat(chunks).toString('utf8')));
  }
  await passUnread(exchange, incoming);
}
