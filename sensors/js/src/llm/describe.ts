import type { JsonObject, JsonValue } from '../../../../src/core/json.ts';
import { isObject, type WireObject } from '../mcp/wire.ts';

/** Request keys and OpenTelemetry's name of each. */
const REQUEST: Readonly<Record<string, string>> = {
  model: 'gen_ai.request.model',
  max_tokens: 'gen_ai.request.max_tokens',
  max_completion_tokens: 'gen_ai.request.max_tokens',
  max_output_tokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  top_k: 'gen_ai.request.top_k',
  seed: 'gen_ai.request.seed',
  stream: 'gen_ai.request.stream',
};

/** Keys of a request that are content: prompts, and what the model may call. */
const PROMPTS = ['messages', 'input', 'prompt', 'system', 'instructions', 'tools'] as const;

/** Keys of a response that are content. */
const ANSWERS = ['choices', 'output', 'content'] as const;

/** Attributes of a request body. */
export function requestAttributes(body: WireObject): JsonObject {
  const attributes: Record<string, JsonValue> = {};
  for (const [key, name] of Object.entries(REQUEST)) {
    const value = body[key];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') attributes[name] = value;
  }
  return attributes;
}

export function promptsOf(body: WireObject): JsonObject {
  return pick(body, PROMPTS);
}

export function answersOf(body: WireObject): JsonObject {
  return pick(body, ANSWERS);
}

function pick(body: WireObject, keys: readonly string[]): JsonObject {
  const found = keys.filter((key) => body[key] !== undefined).map((key) => [key, body[key] as JsonValue] as const);
  return Object.fromEntries(found);
}

/** Attributes of what a response says of itself; later messages of a stream win. */
export function responseAttributes(messages: readonly WireObject[]): JsonObject {
  const attributes: Record<string, JsonValue> = {};
  const finished: string[] = [];
  for (const message of messages) {
    const inner = inside(message);
    note(attributes, 'gen_ai.response.id', inner['id']);
    note(attributes, 'gen_ai.response.model', inner['model']);
    const usage = isObject(inner['usage']) ? inner['usage'] : {};
    note(attributes, 'gen_ai.usage.input_tokens', usage['input_tokens'] ?? usage['prompt_tokens']);
    note(attributes, 'gen_ai.usage.output_tokens', usage['output_tokens'] ?? usage['completion_tokens']);
    finished.push(...reasonsOf(inner, message));
  }
  if (finished.length > 0) attributes['gen_ai.response.finish_reasons'] = finished;
  return attributes;
}

/** Events of a stream wrap the response: `response.completed` (openai), `message_start` (anthropic). */
function inside(message: WireObject): WireObject {
  if (isObject(message['response'])) return message['response'];
  return isObject(message['message']) ? message['message'] : message;
}

function reasonsOf(inner: WireObject, message: WireObject): string[] {
  const choices = Array.isArray(inner['choices']) ? inner['choices'] : [];
  const delta = isObject(message['delta']) ? message['delta'] : {};
  return [
    ...choices.map((choice: unknown) => (isObject(choice) ? choice['finish_reason'] : undefined)),
    inner['stop_reason'],
    delta['stop_reason'],
  ].filter((reason) => typeof reason === 'string');
}

function note(attributes: Record<string, JsonValue>, name: string, value: unknown): void {
  if (typeof value === 'string' || typeof value === 'number') attributes[name] = value;
}
