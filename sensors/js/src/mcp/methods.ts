import type { MethodCourt, MethodVerdict } from '../../../../src/policy/mcp/method-rules.ts';
import type { Decider, Side } from '../policy/decider.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { isObject, type WireObject } from './wire.ts';

/** Decides by the rules on methods (`js_sensor.mcp.*.methods`); undefined where there are none. */
export function methodCourt(
  conversation: Conversation,
  decider: Decider,
  side: Side,
): MethodCourt<Refusal> | undefined {
  if (!decider.rulesMethods(side)) return undefined;
  const about = (method: string) => decider.about(side, 'methods', conversation.identity.name, method);
  const content = (method: string, part: 'arguments' | 'responses', value: WireObject): MethodVerdict<Refusal> => {
    const { target, inspects } = about(method);
    if (!inspects[part]) return {};
    const { findings, redacted } = decider.content(target, part, value);
    for (const finding of findings) {
      const refusal = conversation.found(method, target, finding, side);
      if (refusal !== undefined) return { refusal };
    }
    return isObject(redacted) ? { value: redacted } : {};
  };
  return {
    name: (method) => {
      const { target, finding } = about(method);
      return finding === undefined ? undefined : conversation.found(method, target, finding, side);
    },
    content,
    // What has no form of the protocol is left to the SDK, which reads it next.
    unclear: () => undefined,
  };
}
