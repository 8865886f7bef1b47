import { isDenial } from '../../policy/mcp/denial.ts';
import { filterLists, isListMethod, listed, mayList } from '../../policy/mcp/lists.ts';
import { judgeInputRequests } from '../../policy/mcp/method-rules.ts';
import { eventOf } from '../../policy/mcp/methods.ts';
import { isObject, stringAt, type WireObject } from '../../policy/mcp/wire.ts';
import { judgeResult, methodCourt, UNASKED } from './methods.ts';
import type { Pending, Refusal, Scene } from './scene.ts';

const INTRODUCING = new Set(['initialize', 'server/discover']);

/**
 * Judges an answer of the server: the message to pass on, which is the same object where nothing had to change.
 * `pending`: the requests that it may belong to; none for an answer that nobody asked for, two where an id was used twice.
 */
export function judgeAnswer(scene: Scene, pending: readonly Pending[], message: WireObject): WireObject {
  const { result } = message;
  if (!isObject(result)) return judgeOther(scene, pending, message);
  scene.facts.learn(result, pending.length === 0 || pending.some(({ method }) => INTRODUCING.has(method)));
  const judged = judgeObject(scene, pending, result);
  if ('refusal' in judged) return refusedAs(message, judged.refusal);
  const embedded = judgeEmbedded(scene, pending[0]?.method ?? UNASKED, judged.result);
  if ('refusal' in embedded) return refusedAs(message, embedded.refusal);
  return embedded.result === result ? message : { ...message, result: embedded.result };
}

/** An error, or a result that is none of the protocol's. */
function judgeOther(scene: Scene, pending: readonly Pending[], message: WireObject): WireObject {
  const { refusal } = judgeResult(scene, methodsOf(pending), message['result']);
  if (refusal !== undefined) return refusedAs(message, refusal);
  // Where a sensor in the program has refused, it has told of it, too.
  const outcome = isDenial(message['error']) ? 'refused' : 'error';
  for (const one of pending) scene.answered(one, outcome);
  return message;
}

/** Filters lists, then judges by the response patterns of the method, then by those of the call. */
function judgeObject(scene: Scene, pending: readonly Pending[], result: WireObject): ResultVerdict {
  const lists = mayList(pending);
  const before = lists ? listed(result) : 0;
  const shown = lists ? filtered(scene, result) : result;
  const { refusal, value } = judgeResult(scene, methodsOf(pending), shown);
  if (refusal !== undefined) return { refusal };
  let passed = value ?? shown;
  for (const one of pending) {
    scene.facts.tasks.learn(one.target, result);
    const judged = judgeResponse(scene, one, passed);
    if ('refusal' in judged) return judged;
    passed = judged.result;
    const outcome = result['isError'] === true ? 'tool_error' : 'ok';
    scene.answered(one, outcome, isListMethod(one.method) ? [before, listed(passed)] : undefined);
  }
  return { result: passed };
}

const methodsOf = (pending: readonly Pending[]): readonly string[] => pending.map(({ method }) => method);

/** `result` without the entries that policy hides; tools that are listed are pinned. */
function filtered(scene: Scene, result: WireObject): WireObject {
  return filterLists(result, (kind, name, entry) => {
    const target = { kind, name };
    const finding = scene.rules.name(scene.server, target);
    if (finding !== undefined) return scene.found(`${kind}/list`, target, finding) !== undefined;
    return kind === 'tools' && scene.pin(name, entry);
  });
}

/** What becomes of a result. */
type ResultVerdict = { readonly refusal: Refusal } | { readonly result: WireObject };

/** Response patterns of the call that is answered. */
function judgeResponse(scene: Scene, { method, target }: Pending, result: WireObject): ResultVerdict {
  if (target === undefined) return { result };
  const { findings, value } = scene.rules.content(scene.server, target, 'responses', result);
  for (const finding of findings) {
    const refusal = scene.found(method, target, finding);
    if (refusal !== undefined) return { refusal };
  }
  return { result: isObject(value) ? value : result };
}

/** Judges requests of a server that a result carries (2026-07-28: servers send none of their own), and tells of them. */
function judgeEmbedded(scene: Scene, carrier: string, result: WireObject): ResultVerdict {
  const requests = result['inputRequests'];
  if (requests === undefined) return { result };
  const court = methodCourt(scene);
  const { refusal, value } = court === undefined ? {} : judgeInputRequests(court, carrier, result);
  if (refusal !== undefined) return { refusal };
  for (const request of isObject(requests) ? Object.values(requests) : []) {
    const method = stringAt(request, 'method') ?? '';
    const name = eventOf(method);
    if (name !== undefined) scene.saw(name, method);
  }
  return { result: value ?? result };
}

function refusedAs(message: WireObject, error: Refusal): WireObject {
  return { jsonrpc: '2.0', id: message['id'], error };
}
