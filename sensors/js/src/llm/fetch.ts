/**
 * Tells of calls of language models: `globalThis.fetch`, which openai, @anthropic-ai/sdk and the AI SDK's providers
 * use.
 *
 * Since: openai 7, @anthropic-ai/sdk 1, ai 7 (older ones that bring their own fetch are not seen).
 * Can't see: an application's own `undici` or `node-fetch`, WebSocket (Realtime), the contents of batches and files.
 */
import type { JsonObject, JsonValue } from '../../../../src/core/json.ts';
import { redactDeep } from '../events/redact.ts';
import { isObject, type WireObject } from '../mcp/wire.ts';
import type { Sensor } from '../sensor.ts';
import { guarded, wrap } from '../wrap.ts';
import { earFor, type Heard } from './answer.ts';
import { promptsOf, requestAttributes } from './describe.ts';
import { listening } from './listen.ts';
import { llmCallOf, type LlmCall } from './match.ts';

/** `connecting`: called before each call, which may connect. */
export function installLlm(sensor: Sensor, connecting: () => void): void {
  wrap(
    globalThis,
    'fetch',
    (fetch) =>
      function (this: unknown, ...args: unknown[]) {
        guarded((error) => sensor.report('fetch', error), connecting);
        const call = sensor.settings().llm.enabled ? watched(sensor, args) : undefined;
        const answer = fetch.apply(this, args) as Promise<Response>;
        return call === undefined ? answer : answer.then((response) => heard(sensor, call, response));
      },
  );
}

/** A call that was told and whose answer will be. */
interface Told {
  readonly call: LlmCall;
  readonly requestId: string;
  readonly since: number;
  readonly attributes: JsonObject;
}

function watched(sensor: Sensor, args: readonly unknown[]): Told | undefined {
  let told: Told | undefined;
  guarded(
    (error) => sensor.report('llm request', error),
    () => {
      const call = llmCallOf(urlOf(args[0]));
      if (call !== undefined && sensor.settings().llm.providers.includes(call.provider)) {
        told = tellRequest(sensor, call, bodyOf(args[1]));
      }
    },
  );
  return told;
}

function urlOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (input instanceof URL) return input.href;
  return input instanceof Request ? input.url : '';
}

/** The SDKs hand over text; what else it may be is not read, because reading would take it from the program. */
function bodyOf(init: unknown): WireObject {
  const body = isObject(init) ? init['body'] : undefined;
  if (typeof body !== 'string') return {};
  const parsed: unknown = JSON.parse(body);
  return isObject(parsed) ? parsed : {};
}

function tellRequest(sensor: Sensor, call: LlmCall, body: WireObject): Told {
  const attributes = {
    'gen_ai.provider.name': call.provider,
    'gen_ai.operation.name': call.operation,
    'server.address': call.host,
    ...requestAttributes(body),
    ...sensor.attribution.attributes(),
  };
  const requestId = sensor.events.emit({
    name: 'llm_request',
    domain: 'llm',
    body: contentOf(sensor, promptsOf(body)),
    attributes,
  });
  return { call, requestId, since: Date.now(), attributes };
}

function heard(sensor: Sensor, told: Told, response: Response): Response {
  const report = (error: unknown): void => sensor.report('llm response', error);
  try {
    const ear = earFor(response.headers.get('content-type') ?? '');
    return listening(response, {
      take: (chunk) => guarded(report, () => ear.take(chunk)),
      end: () => guarded(report, () => tellResponse(sensor, told, response.status, ear.end())),
    });
  } catch (error) {
    report(error);
    return response;
  }
}

function tellResponse(sensor: Sensor, told: Told, status: number, { answers, attributes }: Heard): void {
  sensor.events.emit({
    name: 'llm_response',
    domain: 'llm',
    body: { request: told.requestId, duration_ms: Date.now() - told.since, ...contentOf(sensor, { answers }) },
    attributes: { ...told.attributes, 'http.response.status_code': status, ...attributes },
  });
}

/** Prompts or answers as an event carries them: redacted; left out where policy says so. */
function contentOf(sensor: Sensor, content: JsonObject): JsonObject {
  if (!sensor.settings().llm.content) return {};
  const byPolicy: JsonValue = sensor.decider()?.redact(content) ?? content;
  return redactDeep(byPolicy) as JsonObject;
}
