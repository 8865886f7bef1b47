import type { Decider, Side } from '../policy/decider.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { filterLists } from './lists.ts';
import { isListMethod, listed, mayList } from '../../../../src/policy/mcp/lists.ts';
import { judgeInputRequests, judgeMethod } from '../../../../src/policy/mcp/method-rules.ts';
import { methodCourt } from './methods.ts';
import type { Pending } from './pending.ts';
import { reportSeen } from './report.ts';
import { isObject, type WireMessage, type WireObject } from './wire.ts';

/** Methods that a result may carry instead of a request of its own (2026-07-28), and the event of each. */
const EMBEDDED: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'mcp_sampling',
  'elicitation/create': 'mcp_elicitation',
  'roots/list': 'mcp_roots_list',
};

/** Judges an answer; the message to pass on, which is the same object where nothing had to change. */
export function judgeAnswer(
  conversation: Conversation,
  decider: Decider,
  answered: { readonly side: Side; readonly pending: readonly Pending[]; readonly message: WireMessage },
): WireMessage {
  const { side, pending, message } = answered;
  const { result } = message;
  if (!isObject(result)) {
    for (const one of pending) conversation.answered(one, 'error');
    return message;
  }
  conversation.identity.learn(result);
  const lists = mayList(pending);
  const before = lists ? listed(result) : 0;
  let passed = lists ? filterLists(conversation, decider, side, result) : result;
  for (const one of pending) {
    conversation.tasks.learn(one.target, result);
    const judged = judgeResponse(conversation, decider, one, passed);
    if ('refusal' in judged) return refused(message, judged.refusal);
    passed = judged.result;
    const outcome = result['isError'] === true ? 'tool_error' : 'ok';
    conversation.answered(one, outcome, isListMethod(one.method) ? [before, listed(passed)] : undefined);
  }
  if (passed['inputRequests'] !== undefined) {
    const judged = judgeEmbedded(conversation, decider, { side, pending }, passed);
    if ('refusal' in judged) return refused(message, judged.refusal);
    passed = judged.result;
  }
  return passed === result ? message : { ...message, result: passed };
}

function refused({ id }: WireMessage, error: Refusal): WireMessage {
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error };
}

/** What becomes of a result. */
type ResultVerdict = { readonly refusal: Refusal } | { readonly result: WireObject };

/** Response patterns of the method and of the call that is answered. */
function judgeResponse(conversation: Conversation, decider: Decider, one: Pending, result: WireObject): ResultVerdict {
  const court = methodCourt(conversation, decider, one.side);
  if (court === undefined) return judgeNamed(conversation, decider, one, result);
  const { refusal, value } = judgeMethod(court, one.method, 'responses', result);
  return refusal === undefined ? judgeNamed(conversation, decider, one, value ?? result) : { refusal };
}

function judgeNamed(conversation: Conversation, decider: Decider, one: Pending, result: WireObject): ResultVerdict {
  const { target } = one;
  if (target === undefined) return { result };
  conversation.learnRead(target);
  if (!decider.about(target.side, target.kind, target.server, target.name).inspects.responses) return { result };
  const verdict = decider.content(target, 'responses', result);
  for (const finding of verdict.findings) {
    const refusal = conversation.found(one.method, target, finding, target.side);
    if (refusal !== undefined) return { refusal };
  }
  return { result: isObject(verdict.redacted) ? verdict.redacted : result };
}

/** Requests of a server that a result carries (2026-07-28: servers send none of their own). */
function judgeEmbedded(
  conversation: Conversation,
  decider: Decider,
  { side, pending }: { readonly side: Side; readonly pending: readonly Pending[] },
  result: WireObject,
): ResultVerdict {
  const court = methodCourt(conversation, decider, side);
  const carrier = pending[0]?.method ?? 'answer';
  const { refusal, value } = court === undefined ? {} : judgeInputRequests(court, carrier, result);
  if (refusal !== undefined) return { refusal };
  const requests = result['inputRequests'];
  for (const request of isObject(requests) ? Object.values(requests) : []) {
    const asked = isObject(request) ? String(request['method']) : '';
    const name = EMBEDDED[asked];
    if (name !== undefined) reportSeen(conversation.sensor, conversation.scene(side), name, asked);
  }
  return { result: value ?? result };
}
