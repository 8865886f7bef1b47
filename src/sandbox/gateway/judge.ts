import { isObject, type WireObject } from '../../policy/mcp/wire.ts';
import { judgeAnswer } from './answers.ts';
import type { ScannedMessage } from './id-scan.ts';
import { judgeResult } from './methods.ts';
import { type Message, type Messages, type Reading, readLine } from './read-line.ts';
import { judgeOwn, judgeRequest } from './requests.ts';
import type { Refusal, Scene } from './scene.ts';

/** What becomes of one line. */
export interface LineVerdict {
  /** Bytes to pass on: the line itself wherever nothing had to change. */
  readonly pass?: Buffer;
  /** Bytes to answer whoever sent the line. */
  readonly answer?: Buffer;
  /** The line is a program's own words, and not to be passed on. */
  readonly noise?: true;
}

/** What becomes of one message: passed as it came, replaced, or kept back. */
type Verdict = 'pass' | { readonly pass?: WireObject; readonly answer?: WireObject };

/** What becomes of the messages of one text. */
interface Judged {
  /** Nothing had to change: the text may pass as it came. */
  readonly untouched: boolean;
  readonly passed: readonly unknown[];
  /** For whoever sent the text. */
  readonly answers: readonly unknown[];
}

/** One direction of a conversation. */
type Direction = 'to-server' | 'to-client';

/** Judges one line of the client (`to-server`) or of the server (`to-client`). Never throws. */
export function judgeLine(scene: Scene, line: Buffer, direction: Direction): LineVerdict {
  try {
    return judge(scene, line, readLine(line), direction);
  } catch (error) {
    const refusal = scene.unjudged('', `the gateway failed: ${error instanceof Error ? error.message : 'no reason'}`);
    return refusal === undefined ? { pass: line } : {};
  }
}

/** Tells of a line that is too long to be read; the refusal, unless it may pass. */
export function judgeTooLong(scene: Scene, direction: Direction): Refusal | undefined {
  const whose = direction === 'to-server' ? 'client' : 'server';
  return scene.unjudged('', `a line of the ${whose} is too long to be read`);
}

/** What is said in place of a message that was too long: to whoever asks in it, or waits for it. */
export function answersTooLong(
  scene: Scene,
  messages: readonly ScannedMessage[],
  refusal: Refusal,
  direction: Direction,
): { readonly toServer: readonly object[]; readonly toClient: readonly object[] } {
  const errors = (asks: boolean): readonly object[] =>
    messages
      .filter(({ id, hasMethod }) => id !== undefined && hasMethod === asks)
      .map(({ id }) => ({ jsonrpc: '2.0', id, error: refusal }));
  if (direction === 'to-server') return { toServer: errors(false), toClient: errors(true) };
  for (const { id, hasMethod } of messages) {
    if (id === undefined || hasMethod) continue;
    for (const one of scene.askedAs(id)) scene.answered(one, 'refused');
  }
  return { toServer: errors(true), toClient: errors(false) };
}

function judge(scene: Scene, line: Buffer, reading: Reading, direction: Direction): LineVerdict {
  if (reading.kind !== 'messages') {
    if (direction === 'to-client') return scene.rules.failsClosed ? { noise: true } : { pass: line };
    if (reading.kind === 'blank') return { pass: line };
    return scene.unjudged('', reading.problem) === undefined ? { pass: line } : {};
  }
  const { untouched, passed, answers } = judgeMessages(scene, reading, direction);
  if (untouched) return { pass: line };
  const end = line.at(-2) === 0x0d ? '\r\n' : '\n';
  const pass = written(passed, reading.batch);
  const answer = written(answers, reading.batch);
  return {
    ...(pass === undefined ? {} : { pass: Buffer.from(pass + end) }),
    ...(answer === undefined ? {} : { answer: Buffer.from(`${answer}\n`) }),
  };
}

/** Judges the messages of one text. */
export function judgeMessages(scene: Scene, reading: Messages, direction: Direction): Judged {
  const { messages, problem } = reading;
  const doubt = problem === undefined ? undefined : scene.unjudged(methodOf(messages[0]), problem);
  // Nearly every text is one message that passes.
  const [only] = messages;
  if (messages.length === 1 && only !== undefined && doubt === undefined) {
    const verdict = judgeMessage(scene, only, direction);
    return verdict === 'pass'
      ? { untouched: true, passed: [objectOf(only)], answers: [] }
      : judgedOf([verdict], messages);
  }
  const verdicts = messages.map((message) =>
    doubt === undefined ? judgeMessage(scene, message, direction) : kept(message, doubt, direction),
  );
  return judgedOf(verdicts, messages);
}

function judgedOf(verdicts: readonly Verdict[], messages: readonly Message[]): Judged {
  return {
    untouched: verdicts.every((verdict) => verdict === 'pass') && verdicts.length > 0,
    passed: verdicts.flatMap((verdict, at) => (verdict === 'pass' ? [objectOf(messages[at])] : (verdict.pass ?? []))),
    answers: verdicts.flatMap((verdict) => (verdict === 'pass' ? [] : (verdict.answer ?? []))),
  };
}

/** Messages as JSON: a batch stays one, however few are left of it. */
export function written(messages: readonly unknown[], batch: boolean): string | undefined {
  return messages.length === 0 ? undefined : JSON.stringify(batch ? messages : messages[0]);
}

const methodOf = (message: Message | undefined): string =>
  message?.kind === 'request' || message?.kind === 'notification' ? message.method : '';

const objectOf = (message: Message | undefined): unknown =>
  message?.kind === 'unclear' ? message.value : message?.object;

function judgeMessage(scene: Scene, message: Message, direction: Direction): Verdict {
  if (message.kind === 'unclear') {
    const refusal = scene.unjudged('', message.problem);
    return refusal === undefined ? 'pass' : kept(message, refusal, direction);
  }
  return direction === 'to-server' ? fromClient(scene, message) : fromServer(scene, message);
}

type Clear = Exclude<Message, { readonly kind: 'unclear' }>;

function fromClient(scene: Scene, message: Clear): Verdict {
  if (message.kind === 'answer') return clientAnswer(scene, message);
  const { method } = message;
  // Also without an id: a server may act on what it need not answer.
  const { refusal, target, replaced } = judgeRequest(scene, method, message.object);
  if (refusal !== undefined) return kept(message, refusal, 'to-server');
  if (message.kind === 'request')
    scene.toServer.add(idOf(message), { id: message.id, method, target, since: Date.now() });
  return replaced === undefined ? 'pass' : { pass: replaced };
}

/** What a client answers to a server. */
function clientAnswer(scene: Scene, { id, object }: Extract<Clear, { readonly kind: 'answer' }>): Verdict {
  const pending = id === null ? [] : scene.toClient.answer(id);
  const methods = pending.map(({ method }) => method);
  const { refusal, value } = judgeResult(scene, methods, object['result']);
  if (refusal !== undefined) return { pass: { jsonrpc: '2.0', id, error: refusal } };
  const outcome = 'error' in object ? 'error' : 'ok';
  for (const one of pending) scene.answered(one, outcome);
  return value === undefined ? 'pass' : { pass: { ...object, result: value } };
}

function fromServer(scene: Scene, message: Clear): Verdict {
  if (message.kind !== 'answer') {
    const { id, method, object } = { id: null, ...message };
    const { refusal, value } = judgeOwn(scene, method, object);
    if (refusal !== undefined)
      return message.kind === 'request' ? { answer: { jsonrpc: '2.0', id, error: refusal } } : {};
    if (message.kind === 'request')
      scene.toClient.add(idOf(message), { id, method, target: undefined, since: Date.now() });
    else if (method.endsWith('/list_changed')) scene.saw('mcp_list_changed', method);
    return value === undefined ? 'pass' : { pass: { ...object, params: value } };
  }
  const pending = scene.askedAs(message.id ?? 'null');
  const judged = judgeAnswer(scene, pending, message.object);
  return judged === message.object ? 'pass' : { pass: judged };
}

/** An id of null is a text of its own here. */
const idOf = ({ id }: { readonly id: string | number | null }): string | number => id ?? 'null';

/** A message that is kept back: a client's request is answered, a server's answer becomes the refusal. */
function kept(message: Message, refusal: Refusal, direction: Direction): Verdict {
  const id = replyId(message);
  if (id === undefined) return {};
  const error = { jsonrpc: '2.0', id, error: refusal };
  if (direction === 'to-server')
    return message.kind === 'request' || message.kind === 'unclear' ? { answer: error } : {};
  return message.kind === 'answer' ? { pass: error } : {};
}

function replyId(message: Message): unknown {
  if (message.kind === 'notification') return undefined;
  if (message.kind !== 'unclear') return message.id;
  const { value } = message;
  const id = isObject(value) && 'method' in value ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
