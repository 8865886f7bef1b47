import { judgeMethod, type MethodCourt, type MethodVerdict } from '../../policy/mcp/method-rules.ts';
import { isObject, type WireObject } from '../../policy/mcp/wire.ts';
import type { Target } from './rules.ts';
import type { Refusal, Scene } from './scene.ts';

/** Stands for the request of an answer that nobody is known to have asked for. */
export const UNASKED = 'answer';

/** Decides by the rules on methods (`gateway.mcp.server.methods`); undefined where there are none. */
export function methodCourt(scene: Scene): MethodCourt<Refusal> | undefined {
  if (!scene.rules.methods) return undefined;
  return {
    name: (method) => {
      const target: Target = { kind: 'methods', name: method };
      const finding = scene.rules.name(scene.server, target);
      return finding === undefined ? undefined : scene.found(method, target, finding);
    },
    content: (method, part, value) => judgeContent(scene, method, part, value),
    unclear: (method, problem) => scene.unjudged(method, problem),
  };
}

function judgeContent(
  scene: Scene,
  method: string,
  part: 'arguments' | 'responses',
  value: WireObject,
): MethodVerdict<Refusal> {
  const target: Target = { kind: 'methods', name: method };
  const verdict = scene.rules.content(scene.server, target, part, value);
  for (const finding of verdict.findings) {
    const refusal = scene.found(method, target, finding);
    if (refusal !== undefined) return { refusal };
  }
  return verdict.value === value || !isObject(verdict.value) ? {} : { value: verdict.value };
}

/** Judges a result by the response patterns of the methods that it may answer; `value`: what to pass on instead. */
export function judgeResult(scene: Scene, methods: readonly string[], result: unknown): MethodVerdict<Refusal> {
  const court = methodCourt(scene);
  if (court === undefined) return {};
  let value: WireObject | undefined;
  for (const method of methods.length === 0 ? [UNASKED] : methods) {
    const verdict = judgeMethod(court, method, 'responses', value ?? result);
    if (verdict.refusal !== undefined) return verdict;
    value = verdict.value ?? value;
  }
  return value === undefined ? {} : { value };
}
