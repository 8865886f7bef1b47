import { isUtf8 } from 'node:buffer';

import { isObject, stringAt, type WireObject } from '../../policy/mcp/wire.ts';

/** The first version of the protocol that has no sessions. */
const MODERN = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** The messages of a body or of a line, and their text on one line. */
export interface Text {
  readonly line: Buffer;
  readonly messages: readonly WireObject[];
  readonly batch: boolean;
}

/** Understands one text; undefined when it holds no messages. */
export function readMessages(bytes: Buffer): Text | undefined {
  if (!isUtf8(bytes)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  const batch = Array.isArray(value);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = values.filter(isMessage);
  if (messages.length === 0 || messages.length !== values.length) return undefined;
  return { line: oneLine(bytes), messages, batch };
}

function isMessage(value: unknown): value is WireObject {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

/** JSON has line ends between its values only, where a space means the same. */
function oneLine(bytes: Buffer): Buffer {
  let line = bytes;
  if (line.includes(LF) || line.includes(CR)) {
    line = Buffer.from(bytes.map((byte) => (byte === LF || byte === CR ? SPACE : byte)));
  }
  return line;
}

/** A key for the id of a request; undefined for what waits for no answer. */
export function requestId(message: WireObject): string | undefined {
  return typeof message['method'] === 'string' && 'id' in message ? JSON.stringify(message['id']) : undefined;
}

/** A key for the id of the request that a message answers. */
export function answeredId(message: WireObject): string | undefined {
  return message['method'] === undefined && ('result' in message || 'error' in message)
    ? JSON.stringify(message['id'] ?? null)
    : undefined;
}

/** The token under which a request wants to hear of its progress. */
export function progressToken(message: WireObject): string | undefined {
  const params = message['params'];
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && 'progressToken' in meta ? JSON.stringify(meta['progressToken']) : undefined;
}

/** The token that a notification of progress is for. */
export function progressOf(message: WireObject): string | undefined {
  const params = message['params'];
  if (message['method'] !== 'notifications/progress' || !isObject(params)) return undefined;
  return JSON.stringify(params['progressToken']);
}

/** Whether a message is of the era without sessions: each says its version. */
export function isModern(message: WireObject, header: string | undefined): boolean {
  const params = message['params'];
  const meta = isObject(params) ? params['_meta'] : undefined;
  const said = (isObject(meta) ? stringAt(meta, VERSION_KEY) : undefined) ?? header ?? '';
  return /^\d{4}-\d\d-\d\d$/.test(said) && said >= MODERN;
}
