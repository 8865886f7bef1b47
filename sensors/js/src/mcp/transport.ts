/**
 * Stands between an MCP SDK's protocol object and its transport: sees, filters and refuses in both directions.
 *
 * Since: see load/rewrite.ts. The instance's own `send` and `onmessage` are replaced; transports are never subclassed
 * or proxied (v2 looks at their prototypes, and transports with `#private` fields would break), and accessors on
 * `onmessage` keep working because it is assigned, not defined.
 * Can't see: messages that a client answers from a cache of its own until the cache is told (list-changed.ts); the
 * v2 client's `server/discover` probe, which runs before its protocol object is connected.
 */
import type { Decider } from '../policy/decider.ts';
import type { Sensor } from '../sensor.ts';
import { Conversation, type Refusal } from './conversation.ts';
import { denialMessage, disguisedDenial } from './denial.ts';
import { sideOf } from '../../../../src/policy/mcp/methods.ts';
import { PendingRequests } from '../../../../src/policy/mcp/pending.ts';
import { judgeMethod } from '../../../../src/policy/mcp/method-rules.ts';
import { methodCourt } from './methods.ts';
import type { Pending } from './pending.ts';
import { reportSeen } from './report.ts';
import { judgeRequest } from './requests.ts';
import { judgeAnswer } from './results.ts';
import { alike } from '../wrap.ts';
import type { Transport, WireMessage } from './wire.ts';

type Deliver = NonNullable<Transport['onmessage']>;
type Send = Transport['send'];

/** A message that asks for an answer. */
type Request = WireMessage & { readonly id: string | number; readonly method: string };

/** One wrapped transport. */
export class Tap {
  readonly conversation: Conversation;
  readonly #sensor: Sensor;
  readonly #transport: Transport;
  /** Requests that this program sent, and requests that it got: their ids are independent. */
  readonly #sent = new PendingRequests<Pending>();
  readonly #got = new PendingRequests<Pending>();
  #send: Send;
  #deliver: Deliver;
  /** The message that the program is being handed. */
  #passing: WireMessage | undefined;

  constructor(sensor: Sensor, owner: unknown, transport: Transport, deliver: Deliver) {
    this.#sensor = sensor;
    this.#transport = transport;
    this.#send = transport.send;
    this.#deliver = deliver;
    this.conversation = new Conversation(sensor, owner, transport);
    // As many arguments as the program gave: what it wrapped around `send` may look.
    transport.send = alike((message, ...rest: unknown[]) => this.#outgoing(message, rest), transport.send);
    this.attach(deliver);
  }

  /**
   * Stands before `deliver`; again when a protocol object connects to the same transport a second time. Since v1 1.13 the
   * SDK's new `onmessage` calls the one before it, which is ours: it hands on what it is given of a message that was judged.
   */
  attach(deliver: Deliver): void {
    this.#deliver = deliver;
    const incoming: Deliver = (message, ...rest: unknown[]) =>
      message === this.#passing ? deliver.call(this.#transport, message, ...rest) : this.#incoming(message, rest);
    TAPPED.add(incoming);
    Object.assign(this.#transport, { onmessage: incoming });
  }

  /** Whether the transport keeps one of `parts` in a field of its own. */
  uses(parts: readonly unknown[]): boolean {
    return Object.values(this.#transport).some((value) => parts.includes(value));
  }

  /** Hands the program a message that nobody sent. */
  feed(message: WireMessage): void {
    this.#hand(message, []);
  }

  #hand(message: WireMessage, rest: readonly unknown[]): void {
    this.#passing = message;
    try {
      this.#deliver.call(this.#transport, message, ...rest);
    } finally {
      this.#passing = undefined;
    }
  }

  /** Sends a message that the program didn't send. */
  async push(message: WireMessage, options?: unknown): Promise<void> {
    await this.#send.call(this.#transport, message, options);
  }

  #outgoing(message: WireMessage, rest: readonly unknown[]): Promise<void> {
    const decider = this.#sensor.decider();
    if (decider === undefined) return this.#send.call(this.#transport, message, ...rest);
    if (isRequest(message)) {
      const verdict = this.#request(decider, message, this.#sent, true);
      if (verdict.refusal !== undefined) {
        this.#answerSelf(message.id, verdict.refusal);
        return Promise.resolve();
      }
      return this.#send.call(this.#transport, verdict.message ?? message, ...rest);
    }
    const passed = this.#other(decider, message, this.#got, true);
    return passed === undefined ? Promise.resolve() : this.#send.call(this.#transport, passed, ...rest);
  }

  #incoming(message: WireMessage, rest: readonly unknown[]): void {
    const decider = this.#sensor.decider();
    if (decider === undefined) return this.#hand(message, rest);
    if (!isRequest(message)) {
      const passed = this.#other(decider, message, this.#sent, false);
      if (passed !== undefined) this.#hand(passed, rest);
      return;
    }
    const verdict = this.#request(decider, message, this.#got, false);
    if (verdict.refusal !== undefined) return this.#answerPeer(message, verdict.refusal);
    if (!this.#sensor.settings().attributed) return this.#hand(verdict.message ?? message, rest);
    const { id, method } = message;
    const name = verdict.target?.name;
    this.#sensor.attribution.run(
      {
        requestId: id,
        method,
        server: this.conversation.identity.name ?? '(unnamed)',
        ...(name === undefined ? {} : { name }),
      },
      () => this.#hand(verdict.message ?? message, rest),
    );
  }

  #request(decider: Decider, message: Request, pending: PendingRequests<Pending>, out: boolean) {
    const side = sideOf(message.method, out);
    if (!decider.watches(side)) return {};
    try {
      const verdict = judgeRequest(this.conversation, decider, side, message);
      const { method } = message;
      if (verdict.refusal === undefined) {
        pending.add(message.id, { method, side, target: verdict.target, since: Date.now() });
      }
      return verdict;
    } catch (error) {
      return { refusal: this.conversation.failed(decider, message.method, side, error) };
    }
  }

  /** Answers and notifications; `undefined`: it does not go on. */
  #other(
    decider: Decider,
    message: WireMessage,
    pending: PendingRequests<Pending>,
    out: boolean,
  ): WireMessage | undefined {
    if (message.method !== undefined) return this.#notification(decider, message, message.method);
    if (message.id === undefined || message.id === null) return message;
    const waiting = pending.answer(message.id);
    const side = waiting[0]?.side ?? (out ? 'server' : 'client');
    if (!decider.watches(side)) return message;
    try {
      return judgeAnswer(this.conversation, decider, { side, pending: waiting, message });
    } catch (error) {
      const refusal = this.conversation.failed(decider, waiting[0]?.method ?? 'answer', side, error);
      return refusal === undefined ? message : denialMessage(message.id, refusal);
    }
  }

  #notification(decider: Decider, message: WireMessage, method: string): WireMessage | undefined {
    const side = this.conversation.identity.role;
    if (!decider.watches(side)) return message;
    try {
      const court = methodCourt(this.conversation, decider, side);
      const { refusal, value } = court === undefined ? {} : judgeMethod(court, method, 'arguments', message.params);
      if (refusal !== undefined) return undefined;
      if (method.endsWith('/list_changed')) {
        reportSeen(this.#sensor, this.conversation.scene(side), 'mcp_list_changed', method);
      }
      return value === undefined ? message : { ...message, params: value };
    } catch (error) {
      return this.conversation.failed(decider, method, side, error) === undefined ? message : undefined;
    }
  }

  /** Refuses the program's own request, after its `send` has returned, as a peer's answer would arrive. */
  #answerSelf(id: string | number, refusal: Refusal): void {
    queueMicrotask(() => this.feed(denialMessage(id, refusal)));
  }

  /** Refuses the peer's request; the program never sees it. */
  #answerPeer(message: Request, refusal: Refusal): void {
    const plainJson = '_enableJsonResponse' in this.#transport && this.#transport._enableJsonResponse === true;
    const answer = plainJson ? disguisedDenial : denialMessage;
    this.push(answer(message.id, refusal), { relatedRequestId: message.id }).catch((error: unknown) =>
      this.#sensor.report('refusal', error),
    );
  }
}

/** Functions that stand in a transport's `onmessage`. */
const TAPPED = new WeakSet<Deliver>();

/** Whether `deliver` is ours: then the protocol object hasn't set a new one. */
export function isTapped(deliver: Deliver): boolean {
  return TAPPED.has(deliver);
}

function isRequest(message: WireMessage): message is Request {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}
