import type { IncomingMessage } from 'node:http';

import { judgeMessages, written } from '../judge.ts';
import { type Message, type Messages, readBytes } from '../read-line.ts';
import { passAnswer } from './answer.ts';
import { readBody } from './body.ts';
import type { Conversation } from './conversations.ts';
import { type Exchange, outgoing, sendUnread, sessionOf } from './exchange.ts';
import { mediaType } from './headers.ts';
import { HEADER_MISMATCH, headerProblem, mirroredArguments, saysAnother } from './params.ts';
import { replyJson, replyMessages, replyRefusal, rpcError } from './reply.ts';

/** What goes on of a client's messages, and what is answered here. */
interface Decision {
  readonly body: Buffer | undefined;
  readonly headers: readonly string[];
  readonly ids: readonly unknown[];
  readonly refused: readonly unknown[];
  readonly batch: boolean;
}

/** Messages of a client: judged, sent on as far as they may, answered. */
export async function post(exchange: Exchange): Promise<void> {
  const { gate, url } = exchange;
  const conversation = gate.conversations.of(url, sessionOf(exchange));
  const end = gate.conversations.begun(url, conversation);
  try {
    if (gate.stage.rules.enabled) await judged(exchange, conversation);
    else await unread(exchange, conversation);
  } finally {
    end();
  }
}

async function unread(exchange: Exchange, conversation: Conversation, begun?: Buffer): Promise<void> {
  const incoming = await sendUnread(exchange, begun);
  await passAnswer(exchange, incoming, { conversation, ids: [], refused: [], batch: false });
}

async function judged(exchange: Exchange, conversation: Conversation): Promise<void> {
  const { gate, request } = exchange;
  const unjudged = (problem: string, status: number, begun?: Buffer): Promise<void> | void => {
    const refusal = conversation.scene.unjudged('', problem);
    if (refusal === undefined) return unread(exchange, conversation, begun);
    replyRefusal(exchange.response, status, refusal);
  };
  const { type, utf8 } = mediaType(request.headers['content-type']);
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (type !== 'application/json' || !utf8 || coding !== 'identity') {
    return unjudged('the client sends no plain JSON', 415);
  }
  using body = await readBody(request, gate.budget);
  if (!body.whole) return unjudged('a message of the client is too long to be read', 413, body.bytes);
  const reading = readBytes(body.bytes);
  if (reading.kind === 'messages') return judgedMessages(exchange, conversation, reading, body.bytes);
  return unjudged(reading.kind === 'blank' ? 'it is empty' : reading.problem, 400, body.bytes);
}

async function judgedMessages(
  exchange: Exchange,
  conversation: Conversation,
  reading: Messages,
  bytes: Buffer,
): Promise<void> {
  const { gate, request, response } = exchange;
  const problem = headerProblem(request.headers, reading.messages);
  const doubt = problem === undefined ? undefined : conversation.scene.unjudged('', problem);
  if (doubt !== undefined) {
    const error = { ...doubt, code: HEADER_MISMATCH, message: `HeaderMismatch: ${problem ?? ''}` };
    return replyJson(response, 400, rpcError(idOf(reading.messages[0]) ?? null, error));
  }
  const decision = decide(conversation, reading, bytes, request);
  if (decision.body === undefined) return answerHere(exchange, conversation, decision);
  const out = outgoing(exchange, decision.headers);
  const headers = [...out.headers, 'Content-Length', String(decision.body.length)];
  const incoming = await gate.upstream.send({ ...out, headers }, decision.body, response);
  // An old server's client reads answers in its stream, and nothing of what a POST brings back.
  const said = decision.refused.length > 0 && conversation.say?.(decision.refused) === true;
  await passAnswer(exchange, incoming, { conversation, ...decision, refused: said ? [] : decision.refused });
}

function decide({ scene }: Conversation, reading: Messages, bytes: Buffer, request: IncomingMessage): Decision {
  const { batch, messages } = reading;
  const raw = request.rawHeaders;
  const { untouched, passed, answers } = judgeMessages(scene, reading, 'to-server');
  const another = !untouched && passed.some((message) => saysAnother(request.headers, message));
  const headers = another ? undefined : mirroredArguments(scene, raw, messages[0], !untouched);
  const doubt = headers === undefined ? scene.unjudged('', 'a header says what the arguments do not') : undefined;
  if (doubt !== undefined) {
    const refused = messages.flatMap((message) =>
      idOf(message) === undefined ? [] : [rpcError(idOf(message), doubt)],
    );
    return { body: undefined, headers: raw, ids: [], refused, batch };
  }
  const answered = new Set(answers.map((answer) => JSON.stringify(idIn(answer))));
  const ids = messages.map(idOf).filter((id) => id !== undefined && !answered.has(JSON.stringify(id)));
  const text = untouched ? undefined : written(passed, batch);
  const body = untouched ? bytes : text === undefined ? undefined : Buffer.from(text);
  return { body, headers: headers ?? raw, ids, refused: answers, batch };
}

function answerHere({ response }: Exchange, conversation: Conversation, { refused, batch }: Decision): void {
  if (refused.length === 0) {
    // A notification: nobody waits for words.
    return replyJson(response, 400, rpcError(null, { code: -32000, message: 'Refused by policy.' }));
  }
  if (conversation.say?.(refused) === true) return void response.writeHead(202, { 'Content-Length': 0 }).end();
  replyMessages(response, refused, batch);
}

const idOf = (message: Message | undefined): string | number | null | undefined =>
  message?.kind === 'request' ? message.id : undefined;

const idIn = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;
