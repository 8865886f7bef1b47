/**
 * Rules on methods (`mcp.*.methods`), wherever they are enforced: requests and notifications both ways, and what the era
 * 2026-07-28 puts in their place: requests of the server inside a result (`inputRequests`), their answers inside the
 * retry (`inputResponses`).
 */
import { isObject, type WireObject } from './wire.ts';

/** What becomes of a value that was looked at: refused, replaced, or neither. */
export interface MethodVerdict<Refusal> {
  readonly refusal?: Refusal;
  readonly value?: WireObject;
}

/** Parameters, or a result. */
type Part = 'arguments' | 'responses';

/** Who decides on methods in one conversation, and tells of what it finds. */
export interface MethodCourt<Refusal> {
  /** The deny and allow lists. */
  name(method: string): Refusal | undefined;
  /** The patterns. */
  content(method: string, part: Part, value: WireObject): MethodVerdict<Refusal>;
  /** What can't be judged; undefined: it passes. */
  unclear(method: string, problem: string): Refusal | undefined;
}

/** Judges parameters or a result by the rules of its method; parameters by the lists, too. */
export function judgeMethod<Refusal>(
  court: MethodCourt<Refusal>,
  method: string,
  part: Part,
  value: unknown,
): MethodVerdict<Refusal> {
  const refusal = part === 'arguments' ? court.name(method) : undefined;
  if (refusal !== undefined) return { refusal };
  if (value === undefined || value === null) return {};
  if (isObject(value)) return court.content(method, part, value);
  return refusedIf(court.unclear(method, `the ${part === 'arguments' ? 'parameters are' : 'result is'} no object`));
}

/** Judges the parameters of a request or notification and the answers that they carry; `value`: what to pass on instead. */
export function judgeParameters<Refusal>(
  court: MethodCourt<Refusal>,
  method: string,
  params: unknown,
): MethodVerdict<Refusal> {
  const own = judgeMethod(court, method, 'arguments', params);
  const passed = own.value ?? params;
  if (own.refusal !== undefined || !isObject(passed)) return own;
  const answers = judgeInputResponses(court, method, passed);
  return answers.refusal !== undefined || answers.value !== undefined ? answers : own;
}

/** Judges the requests that a result carries; `value`: the result to pass on instead. */
export function judgeInputRequests<Refusal>(
  court: MethodCourt<Refusal>,
  carrier: string,
  result: WireObject,
): MethodVerdict<Refusal> {
  return judgeEach(court, { carrier, holder: result, key: 'inputRequests' }, (request) => {
    const { method } = request;
    if (typeof method !== 'string')
      return refusedIf(court.unclear(carrier, 'a request inside the result has no method'));
    const { refusal, value } = judgeMethod(court, method, 'arguments', request['params']);
    if (refusal !== undefined) return { refusal };
    return value === undefined ? {} : { value: { ...request, params: value } };
  });
}

/** Judges the answers that a retry carries; `value`: the parameters to pass on instead. */
function judgeInputResponses<Refusal>(
  court: MethodCourt<Refusal>,
  carrier: string,
  params: WireObject,
): MethodVerdict<Refusal> {
  return judgeEach(court, { carrier, holder: params, key: 'inputResponses' }, (response) => {
    const methods = answeredMethods(response);
    if (methods.length === 0)
      return refusedIf(court.unclear(carrier, 'an answer inside the parameters has no form that is known'));
    let passed = response;
    for (const method of methods) {
      // Whoever may not be asked may not answer, either: the request may have come before the rule.
      const refusal = court.name(method);
      if (refusal !== undefined) return { refusal };
      const verdict = judgeMethod(court, method, 'responses', passed);
      if (verdict.refusal !== undefined) return verdict;
      passed = verdict.value ?? passed;
    }
    return passed === response ? {} : { value: passed };
  });
}

function judgeEach<Refusal>(
  court: MethodCourt<Refusal>,
  { carrier, holder, key }: { readonly carrier: string; readonly holder: WireObject; readonly key: string },
  judge: (value: WireObject) => MethodVerdict<Refusal>,
): MethodVerdict<Refusal> {
  const entries = holder[key];
  if (entries === undefined || entries === null) return {};
  if (!isObject(entries)) return refusedIf(court.unclear(carrier, `${key} is no object`));
  let passed = entries;
  for (const [name, entry] of Object.entries(entries)) {
    const verdict = isObject(entry)
      ? judge(entry)
      : refusedIf(court.unclear(carrier, `an entry of ${key} is no object`));
    if (verdict.refusal !== undefined) return verdict;
    if (verdict.value !== undefined) passed = { ...passed, [name]: verdict.value };
  }
  return passed === entries ? {} : { value: { ...holder, [key]: passed } };
}

/** The requests that an answer inside a retry may answer, by its form: it doesn't say so, and servers keep no state. */
function answeredMethods(response: WireObject): readonly string[] {
  return [
    ...('action' in response ? ['elicitation/create'] : []),
    ...('roots' in response ? ['roots/list'] : []),
    ...('model' in response || 'role' in response ? ['sampling/createMessage'] : []),
  ];
}

const refusedIf = <Refusal>(refusal: Refusal | undefined): MethodVerdict<Refusal> =>
  refusal === undefined ? {} : { refusal };
