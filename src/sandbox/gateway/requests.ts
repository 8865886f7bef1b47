import { judgeParameters, type MethodVerdict } from '../../policy/mcp/method-rules.ts';
import { type Asked, askedBy, listensTo } from '../../policy/mcp/methods.ts';
import { isObject, type WireObject } from '../../policy/mcp/wire.ts';
import { methodCourt } from './methods.ts';
import type { Target } from './rules.ts';
import type { Refusal, Scene } from './scene.ts';

/** What becomes of a request. */
export interface RequestVerdict {
  readonly target?: Target | undefined;
  readonly refusal?: Refusal | undefined;
  /** The message to pass on instead, where arguments were redacted. */
  readonly replaced?: WireObject;
}

/** Methods whose parameters name a tool, resource or prompt: without a readable name nobody can say which. */
const NAMING = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'subscriptions/listen',
  'completion/complete',
]);

/** Judges a client's request: its method where there are rules on methods, then what it names; the first refusal ends it. */
export function judgeRequest(scene: Scene, method: string, message: WireObject): RequestVerdict {
  const { refusal, value } = judgeOwn(scene, method, message);
  if (refusal !== undefined) return { refusal };
  if (value === undefined) return judgeNamed(scene, method, message);
  const replaced = { ...message, params: value };
  return { replaced, ...judgeNamed(scene, method, replaced) };
}

/** Judges a server's request or notification, either of which only its method decides on. */
export function judgeOwn(scene: Scene, method: string, message: WireObject): MethodVerdict<Refusal> {
  const court = methodCourt(scene);
  return court === undefined ? {} : judgeParameters(court, method, message['params']);
}

/** Judges by the lists, then by what was pinned, then by the argument patterns. */
function judgeNamed(scene: Scene, method: string, message: WireObject): RequestVerdict {
  const params = isObject(message['params']) ? message['params'] : undefined;
  const asked = askedBy(method, params);
  if (asked === undefined) return judgeOther(scene, method, params);
  const target: Target = { kind: asked.kind, name: asked.name };
  const finding = scene.rules.name(scene.server, target) ?? scene.changed(target);
  const refusal = finding === undefined ? undefined : scene.found(method, target, finding);
  if (refusal !== undefined) return { target, refusal };
  return judgeArguments(scene, { method, asked, target }, message, params);
}

/** Judges a request that names nothing, or several. */
function judgeOther(scene: Scene, method: string, params: WireObject | undefined): RequestVerdict {
  const uris = listensTo(method, params);
  const readable = method === 'subscriptions/listen' && uris !== undefined;
  if (!readable && NAMING.has(method.normalize('NFKC').trim().toLowerCase())) {
    return { refusal: scene.unjudged(method, 'its method or its parameters name nothing that can be read') };
  }
  for (const uri of uris ?? []) {
    const target: Target = { kind: 'resources', name: uri };
    const finding = scene.rules.name(scene.server, target);
    const refusal = finding === undefined ? undefined : scene.found(method, target, finding);
    if (refusal !== undefined) return { refusal };
  }
  return { target: scene.facts.tasks.callOf(method, params) };
}

function judgeArguments(
  scene: Scene,
  { method, asked, target }: { readonly method: string; readonly asked: Asked; readonly target: Target },
  message: WireObject,
  params: WireObject | undefined,
): RequestVerdict {
  const given = params?.['arguments'];
  if (!asked.call || given === undefined) return { target };
  const { findings, value } = scene.rules.content(scene.server, target, 'arguments', given);
  for (const finding of findings) {
    const refusal = scene.found(method, target, finding);
    if (refusal !== undefined) return { target, refusal };
  }
  if (value === given) return { target };
  return { target, replaced: { ...message, params: { ...params, arguments: value } } };
}
