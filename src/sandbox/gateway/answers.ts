import { isDenial } from '../../policy/mcp/denial.ts';
import { eventOf, LIST_METHODS, LISTS } from '../../policy/mcp/methods.ts';
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
  scene.learn(result, pending.length === 0 || pending.some(({ method }) => INTRODUCING.has(method)));
  const lists = mayList(pending);
  const before = lists ? listed(result) : 0;
  let passed = lists ? filterLists(scene, result) : result;
  for (const one of pending) {
    scene.learnTask(one, result);
    const judged = judgeResponse(scene, one, passed);
    if ('refusal' in judged) return { jsonrpc: '2.0', id: message['id'], error: judged.refusal };
    passed = judged.result;
    const outcome = result['isError'] === true ? 'tool_error' : 'ok';
    scene.answered(one, outcome, isList(one) ? [before, listed(passed)] : undefined);
  }
  tellEmbedded(scene, result);
  return passed === result ? message : { ...message, result: passed };
}

const isList = ({ method }: Pending): boolean => Object.hasOwn(LIST_METHODS, method);

/** Whether an answer may be a list: not if it belongs to one request, and that asked for something else. */
function mayList(pending: readonly Pending[]): boolean {
  const [one] = pending;
  return one === undefined || pending.length > 1 || isList(one);
}

/** Entries in a list result. */
function listed(result: WireObject): number {
  const entries = LISTS.map(({ key }) => result[key]).find(Array.isArray);
  return entries?.length ?? 0;
}

/** `result` without the entries that policy hides; everything else of it (`nextCursor`, `_meta`) stays. */
function filterLists(scene: Scene, result: WireObject): WireObject {
  let filtered = result;
  for (const { key, kind, name } of LISTS) {
    const entries = result[key];
    if (!Array.isArray(entries)) continue;
    const kept = entries.filter((entry: unknown) => {
      const named = stringAt(entry, name);
      if (named === undefined) return true;
      const finding = scene.rules.name(scene.server, { kind, name: named });
      return finding === undefined || scene.found(`${kind}/list`, { kind, name: named }, finding) === undefined;
    });
    if (kept.length !== entries.length) filtered = { ...filtered, [key]: kept };
  }
  return filtered;
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
