import type { JsonObject, JsonValue } from '../../../../src/core/json.ts';
import { isObject, stringAt, type WireObject } from '../mcp/wire.ts';
import { answersOf } from './describe.ts';

/** UTF-16 units of one answer that are kept. */
const MAX_KEPT = 256 * 1024;

/** Texts of one answer that are told apart: choices, blocks, calls of tools. */
const MAX_TEXTS = 256;

/** Keys of a piece whose text goes on where the piece before it ended, in the wire formats of both vendors. */
const TEXTS = ['content', 'text', 'refusal', 'reasoning_content', 'partial_json', 'thinking', 'arguments', 'name'];

/**
 * Joins the pieces of a streamed answer, so that what is redacted is what was said: a key that a model says in two
 * pieces is none in either. Knows openai's chat, completions and responses, and anthropic's messages.
 */
export class Answers {
  readonly #texts = new Map<string, string[]>();
  #kept = 0;
  #whole: JsonObject | undefined;

  /** Takes one message of the stream. */
  add(message: WireObject): void {
    if (Array.isArray(message['choices'])) for (const choice of message['choices']) this.#choice(choice);
    // anthropic: what a block is at its start, then its pieces.
    const at = indexOf(message);
    this.#piece(`block ${at}`, message['content_block']);
    if (isObject(message['delta'])) this.#piece(`block ${at}`, message['delta']);
    this.#responses(message);
  }

  /** The answers: texts by where they belong; the vendor's own summary where the stream had one. */
  joined(): readonly JsonObject[] {
    if (this.#whole !== undefined) return [this.#whole];
    const pieces = Object.fromEntries([...this.#texts].map(([where, parts]) => [where, parts.join('')]));
    return Object.keys(pieces).length === 0 ? [] : [pieces];
  }

  #choice(choice: unknown): void {
    if (!isObject(choice)) return;
    const where = `choice ${indexOf(choice)}`;
    this.#piece(where, choice);
    const { delta } = choice;
    this.#piece(where, delta);
    if (!isObject(delta) || !Array.isArray(delta['tool_calls'])) return;
    for (const call of delta['tool_calls']) {
      if (isObject(call)) this.#piece(`${where} call ${indexOf(call)}`, call['function']);
    }
  }

  /** openai's responses: `response.*.delta` with the piece as text, and everything again at the end. */
  #responses(message: WireObject): void {
    const type = stringAt(message, 'type') ?? '';
    const { delta, response } = message;
    if (typeof delta === 'string') this.#keep(`${type} ${numberAt(message, 'output_index')}`, delta);
    if (!isObject(response) || !/^response\.(?:completed|incomplete|failed)$/.test(type)) return;
    const answer = answersOf(response);
    if (JSON.stringify(answer).length <= MAX_KEPT) this.#whole = answer;
  }

  #piece(where: string, piece: unknown): void {
    if (!isObject(piece)) return;
    for (const key of TEXTS) {
      const text = piece[key];
      if (typeof text === 'string' && text !== '') this.#keep(`${where} ${key}`, text);
    }
  }

  #keep(where: string, text: string): void {
    const known = this.#texts.get(where);
    if (this.#kept >= MAX_KEPT || (known === undefined && this.#texts.size >= MAX_TEXTS)) return;
    this.#kept += text.length;
    if (known === undefined) this.#texts.set(where, [text]);
    else known.push(text);
  }
}

function indexOf(message: WireObject): number {
  return numberAt(message, 'index');
}

function numberAt(message: WireObject, key: string): number {
  const value = message[key] as JsonValue | undefined;
  return typeof value === 'number' ? value : 0;
}
