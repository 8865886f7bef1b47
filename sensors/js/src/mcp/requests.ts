import type { Decider, Finding, Known, Side, Target } from '../policy/decider.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { askedBy, listensTo } from '../../../../src/policy/mcp/methods.ts';
import { judgeParameters } from '../../../../src/policy/mcp/method-rules.ts';
import { methodCourt } from './methods.ts';
import type { WireMessage, WireObject } from './wire.ts';

/** What becomes of a request. */
export interface RequestVerdict {
  readonly target?: Target | undefined;
  readonly refusal?: Refusal | undefined;
  /** The message to pass on instead, where arguments were redacted. */
  readonly message?: WireMessage;
}

/** Judges a request: its method where there are rules on methods, then what it names; the first refusal ends it. */
export function judgeRequest(
  conversation: Conversation,
  decider: Decider,
  side: Side,
  message: WireMessage,
): RequestVerdict {
  const court = methodCourt(conversation, decider, side);
  if (court === undefined) return judgeNamed(conversation, decider, side, message);
  const { refusal, value } = judgeParameters(court, message.method ?? '', message.params);
  if (refusal !== undefined) return { refusal };
  if (value === undefined) return judgeNamed(conversation, decider, side, message);
  const replaced = { ...message, params: value };
  return { message: replaced, ...judgeNamed(conversation, decider, side, replaced) };
}

/** Judges by the lists, then by what was pinned, then by the argument patterns. */
function judgeNamed(conversation: Conversation, decider: Decider, side: Side, message: WireMessage): RequestVerdict {
  const method = message.method ?? '';
  const asked = askedBy(method, message.params);
  if (asked === undefined) return judgeOther(conversation, decider, side, message);
  const known = decider.about(side, asked.kind, conversation.identity.name, asked.name);
  const finding = known.finding ?? changed(conversation, decider, known);
  const { target } = known;
  const refusal = finding === undefined ? undefined : conversation.found(method, target, finding, side);
  if (refusal !== undefined) return { target, refusal };
  // A new object only where there is something to say: this is every call's way.
  if (!asked.call || !known.inspects.arguments) return known;
  return judgeArguments(conversation, decider, { target, message });
}

/** Judges a request that names nothing, or several resources. */
function judgeOther(conversation: Conversation, decider: Decider, side: Side, message: WireMessage): RequestVerdict {
  const method = message.method ?? '';
  for (const uri of listensTo(method, message.params) ?? []) {
    const { target, finding } = decider.about(side, 'resources', conversation.identity.name, uri);
    const refusal = finding === undefined ? undefined : conversation.found(method, target, finding, side);
    if (refusal !== undefined) return { target, refusal };
  }
  return { target: conversation.tasks.callOf(method, message.params) };
}

/** A tool that was another one when it was last listed. */
function changed(conversation: Conversation, decider: Decider, { target }: Known): Finding | undefined {
  return target.kind === 'tools' && conversation.pins.changed(target.name) ? decider.changed(target) : undefined;
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
