import { isDenial } from '../../policy/mcp/denial.ts';
import { filterLists, isListMethod, listed, mayList } from '../../policy/mcp/lists.ts';
import { eventOf } from '../../policy/mcp/methods.ts';
import { isObject, stringAt, type WireObject } from '../../policy/mcp/wire.ts';
import type { Pending, Refusal, Scene } from './scene.ts';

const INTRODUCING = new Set(['initialize', 'server/discover']);

/**
 * Judges an answer of the server: the message to pass on, which is the same object where nothing had to change.
 * `pending`: the requests that it may belong to; none for an answer that nobody asked for, two where an id was used twice.
 */
export function judgeAnswer(scene: Scene, pending: readonly Pending[], message: WireObject): WireObject {
  const { result } = message;
  if (!isObject(result)) {
    // Where a sensor in the program has refused, it has told of it, too.
    const outcome = isDenial(message['error']) ? 'refused' : 'error';
    for (const one of pending) scene.answered(one, outcome);
    return message;
  }
  scene.facts.learn(result, pending.length === 0 || pending.some(({ method }) => INTRODUCING.has(method)));
  const lists = mayList(pending);
  const before = lists ? listed(result) : 0;
  let passed = lists ? filtered(scene, result) : result;
  for (const one of pending) {
    scene.facts.learnTask(one.target, result);
    const judged = judgeResponse(scene, one, passed);
    if ('refusal' in judged) return { jsonrpc: '2.0', id: message['id'], error: judged.refusal };
    passed = judged.result;
    const outcome = result['isError'] === true ? 'tool_error' : 'ok';
    scene.answered(one, outcome, isListMethod(one.method) ? [before, listed(passed)] : undefined);
  }
  tellEmbedded(scene, result);
  return passed === result ? message : { ...message, result: passed };
}

/** `result` without the entries that policy hides; tools that are listed are pinned. */
function filtered(scene: Scene, result: WireObject): WireObject {
  return filterLists(result, (kind, name, entry) => {
    const target = { kind, name };
    const finding = scene.rules.name(scene.server, target);
    if (finding !== undefined) return scene.found(`${kind}/list`, target, finding) !== undefined;
    if (kind === 'tools') scene.pin(name, entry);
    return false;
  });
}

/** Response patterns of the call that is answered. */
function judgeResponse(
  scene: Scene,
  { method, target }: Pending,
  result: WireObject,
): { readonly refusal: Refusal } | { readonly result: WireObject } {
  if (target === undefined) return { result };
  const { findings, value } = scene.rules.content(scene.server, target, 'responses', result);
  for (const finding of findings) {
    const refusal = scene.found(method, target, finding);
    if (refusal !== undefined) return { refusal };
  }
  return { result: isObject(value) ? value : result };
}

/** Requests of a server that a result carries (2026-07-28: servers send none of their own). */
function tellEmbedded(scene: Scene, result: WireObject): void {
  const requests = result['inputRequests'];
  if (!isObject(requests)) return;
  for (const request of Object.values(requests)) {
    const method = stringAt(request, 'method') ?? '';
    const name = eventOf(method);
    if (name !== undefined) scene.saw(name, method);
  }
}
