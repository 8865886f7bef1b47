import type { Decider, Side, Target } from '../policy/decider.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { askedBy } from '../../../../src/policy/mcp/methods.ts';
import type { WireMessage, WireObject } from './wire.ts';

/** What becomes of a request. */
export interface RequestVerdict {
  readonly target?: Target | undefined;
  readonly refusal?: Refusal | undefined;
  /** The message to pass on instead, where arguments were redacted. */
  readonly message?: WireMessage;
}

/** Judges a request by the lists, then by the argument patterns; the first refusal ends it. */
export function judgeRequest(
  conversation: Conversation,
  decider: Decider,
  side: Side,
  message: WireMessage,
): RequestVerdict {
  const method = message.method ?? '';
  const asked = askedBy(method, message.params);
  if (asked === undefined) return { target: conversation.taskOf(method, message.params) };
  const known = decider.about(side, asked.kind, conversation.identity.name, asked.name);
  const { target, finding } = known;
  const refusal = finding === undefined ? undefined : conversation.found(method, target, finding, side);
  if (refusal !== undefined) return { target, refusal };
  if (!asked.call || !known.inspects.arguments) return known;
  return judgeArguments(conversation, decider, { target, message });
}

function judgeArguments(
  conversation: Conversation,
  decider: Decider,
  call: { readonly target: Target; readonly message: WireMessage },
): RequestVerdict {
  const { target, message } = call;
  const args = message.params?.['arguments'];
  if (args === undefined) return { target };
  const { findings, redacted } = decider.content(target, 'arguments', args);
  for (const finding of findings) {
    const refusal = conversation.found(message.method ?? '', target, finding, target.side);
    if (refusal !== undefined) return { target, refusal };
  }
  if (redacted === undefined) return { target };
  const params: WireObject = { ...message.params, arguments: redacted };
  return { target, message: { ...message, params } };
}
