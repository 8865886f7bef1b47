/**
 * Rules on methods (`js_sensor.mcp.*.methods`): requests and notifications both ways, and what the era 2026-07-28 puts
 * in their place: requests of the server inside a result (`inputRequests`), their answers inside the retry
 * (`inputResponses`).
 */
import type { Decider, Side, Target } from '../policy/decider.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { isObject, type WireObject } from './wire.ts';

/** What becomes of a value that was looked at: refused, replaced, or neither. */
export interface MethodVerdict {
  readonly refusal?: Refusal;
  readonly value?: WireObject;
}

const PASSED: MethodVerdict = {};

/** A part of a message under the rules of one method. */
interface Subject {
  readonly side: Side;
  readonly method: string;
  /** `arguments`: parameters; `responses`: a result. */
  readonly part: 'arguments' | 'responses';
  readonly value: unknown;
}

/** Judges parameters or a result by the rules of its method; parameters by the lists, too. */
export function judgeMethod(conversation: Conversation, decider: Decider, subject: Subject): MethodVerdict {
  const { side, method, part, value } = subject;
  if (!decider.rulesMethods(side)) return PASSED;
  const { target, finding, inspects } = decider.about(side, 'methods', conversation.identity.name, method);
  if (finding !== undefined) {
    const refusal = part === 'arguments' ? conversation.found(method, target, finding, side) : undefined;
    if (refusal !== undefined) return { refusal };
  }
  return inspects[part] && isObject(value) ? judgeContent(conversation, decider, target, { part, value }) : PASSED;
}

function judgeContent(
  conversation: Conversation,
  decider: Decider,
  target: Target,
  { part, value }: { readonly part: Subject['part']; readonly value: WireObject },
): MethodVerdict {
  const { findings, redacted } = decider.content(target, part, value);
  for (const finding of findings) {
    const refusal = conversation.found(target.name, target, finding, target.side);
    if (refusal !== undefined) return { refusal };
  }
  return isObject(redacted) ? { value: redacted } : PASSED;
}

/** Judges the requests that a result carries; `value`: the result to pass on instead. */
export function judgeInputRequests(
  conversation: Conversation,
  decider: Decider,
  side: Side,
  result: WireObject,
): MethodVerdict {
  return judgeEach(result, 'inputRequests', (request) => {
    const method = request['method'];
    if (typeof method !== 'string') return PASSED;
    const verdict = judgeMethod(conversation, decider, { side, method, part: 'arguments', value: request['params'] });
    return verdict.value === undefined ? verdict : { value: { ...request, params: verdict.value } };
  });
}

/** Judges the answers that a retry carries; `value`: the parameters to pass on instead. */
export function judgeInputResponses(
  conversation: Conversation,
  decider: Decider,
  side: Side,
  params: WireObject,
): MethodVerdict {
  return judgeEach(params, 'inputResponses', (response) => {
    const method = answeredMethod(response);
    if (method === undefined) return PASSED;
    // Whoever may not be asked may not answer, either: the request may have come before the rule.
    const { refusal } = judgeMethod(conversation, decider, { side, method, part: 'arguments', value: undefined });
    if (refusal !== undefined) return { refusal };
    return judgeMethod(conversation, decider, { side, method, part: 'responses', value: response });
  });
}

function judgeEach(
  holder: WireObject,
  key: 'inputRequests' | 'inputResponses',
  judge: (value: WireObject) => MethodVerdict,
): MethodVerdict {
  const entries = holder[key];
  if (!isObject(entries)) return PASSED;
  let passed = entries;
  for (const [name, entry] of Object.entries(entries)) {
    const verdict = isObject(entry) ? judge(entry) : PASSED;
    if (verdict.refusal !== undefined) return verdict;
    if (verdict.value !== undefined) passed = { ...passed, [name]: verdict.value };
  }
  return passed === entries ? PASSED : { value: { ...holder, [key]: passed } };
}

/** The request that an answer inside a retry answers, by its form: it doesn't say so, and servers keep no state. */
function answeredMethod(response: WireObject): string | undefined {
  if (typeof response['action'] === 'string') return 'elicitation/create';
  if (Array.isArray(response['roots'])) return 'roots/list';
  return 'model' in response || 'role' in response ? 'sampling/createMessage' : undefined;
}
