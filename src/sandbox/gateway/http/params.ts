import { type Asked, askedBy } from '../../../policy/mcp/methods.ts';
import { isObject } from '../../../policy/mcp/wire.ts';
import type { Message } from '../read-line.ts';
import type { Target } from '../rules.ts';
import type { Scene } from '../scene.ts';

/** Headers that say what the body says (2026-07-28), so that nobody between has to read it. */
const METHOD = 'mcp-method';
const NAME = 'mcp-name';
const PARAM = 'mcp-param-';

/** JSON-RPC code of the protocol for headers that say something else than the body. */
export const HEADER_MISMATCH = -32020;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Whether the headers name something else than a message that was changed. */
export function saysAnother(headers: Headers, passed: unknown): boolean {
  const name = textOf(headers[NAME]);
  if (name === undefined || !isObject(passed) || typeof passed['method'] !== 'string') return false;
  const asked = askedBy(passed['method'], isObject(passed['params']) ? passed['params'] : undefined);
  return asked !== undefined && asked.name !== name;
}

/** What the headers say otherwise than the messages: a server that goes by them would do what nobody judged. */
export function headerProblem(headers: Headers, messages: readonly Message[]): string | undefined {
  const method = textOf(headers[METHOD]);
  const name = textOf(headers[NAME]);
  if (method === undefined && name === undefined) return undefined;
  const [message] = messages;
  if (messages.length !== 1 || message === undefined) return 'the headers name one message of several';
  if (method !== undefined && method !== methodOf(message)) return 'the header Mcp-Method names another method';
  const asked = askedIn(message);
  const differs = name !== undefined && asked !== undefined && name !== asked.name;
  return differs ? 'the header Mcp-Name names something else' : undefined;
}

/**
 * The request's headers `raw` (names and values in turn) with those that mirror arguments redacted as the arguments
 * are; undefined when they say what the arguments don't. `redacted`: the arguments were.
 */
export function mirroredArguments(
  scene: Scene,
  raw: readonly string[],
  message: Message | undefined,
  redacted: boolean,
): readonly string[] | undefined {
  const asked = message === undefined ? undefined : askedIn(message);
  if (message === undefined || asked?.call !== true || scene.rules.mode === 'observe') return raw;
  const method: Target = { kind: 'methods', name: methodOf(message) ?? '' };
  const passed = raw.map((text, at) =>
    at % 2 === 1 && isParam(raw[at - 1]) ? mirrored(scene, [method, asked], text, redacted) : text,
  );
  return passed.every((text) => text !== undefined) ? passed : undefined;
}

/** One header's value as it may pass; undefined: not at all. */
function mirrored(scene: Scene, targets: readonly Target[], text: string, redacted: boolean): string | undefined {
  let passed: unknown = decoded(text);
  let found = false;
  for (const target of targets) {
    const { findings, value } = scene.rules.content(scene.server, target, 'arguments', passed);
    found ||= findings.length > 0;
    passed = value;
  }
  if (!found) return text;
  return redacted && typeof passed === 'string' ? encoded(passed) : undefined;
}

const isParam = (name: string | undefined): boolean => name?.toLowerCase().startsWith(PARAM) === true;

function methodOf(message: Message): string | undefined {
  return message.kind === 'request' || message.kind === 'notification' ? message.method : undefined;
}

function askedIn(message: Message): Asked | undefined {
  if (message.kind !== 'request' && message.kind !== 'notification') return undefined;
  const params = message.object['params'];
  return askedBy(message.method, isObject(params) ? params : undefined);
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? decoded(header) : undefined;
}

/** What is not plain ASCII stands there as base64. */
function decoded(value: string): string {
  const [, base64] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}

function encoded(value: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
