import { isUtf8 } from 'node:buffer';

import { isObject, type WireObject } from '../../policy/mcp/wire.ts';
import { keyProblem } from './keys.ts';

/** One message of JSON-RPC as a line, or one of a batch, carries it. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: string | number | null;
      readonly method: string;
      readonly object: WireObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly object: WireObject }
  | { readonly kind: 'answer'; readonly id: string | number | null; readonly object: WireObject }
  | { readonly kind: 'unclear'; readonly problem: string; readonly value: unknown };

/** What a line is. */
export type Reading =
  | { readonly kind: 'blank' }
  /** Nothing of JSON-RPC: a program's own words. */
  | { readonly kind: 'noise'; readonly problem: string }
  | Messages;

/** What carries messages; `problem` where other readers may understand it differently. */
export interface Messages {
  readonly kind: 'messages';
  readonly batch: boolean;
  readonly messages: readonly Message[];
  readonly problem?: string;
}

const CR = 13;

/** Understands one line. */
export function readLine(line: Buffer): Reading {
  const reading = readBytes(line);
  // Readers in text mode (Python's, Node's readline) end a line there, too.
  if (reading.kind !== 'messages' || !hasInnerReturn(line)) return reading;
  return { ...reading, problem: 'a carriage return stands inside it' };
}

/** Understands a body. */
export function readBytes(bytes: Buffer): Reading {
  return isUtf8(bytes) ? readText(bytes.toString('utf8')) : { kind: 'noise', problem: 'it is not UTF-8' };
}

/** Understands a text that has its bounds from elsewhere. */
export function readText(text: string): Reading {
  if (text.length < 16 && text.trim() === '') return { kind: 'blank' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'noise', problem: 'it is not JSON' };
  }
  const batch = Array.isArray(value);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = values.map(messageOf);
  if (messages.every(({ kind }) => kind === 'unclear') && !values.some(speaksRpc)) {
    return { kind: 'noise', problem: 'it is JSON, but no message' };
  }
  const problem = keyProblem(text);
  return { kind: 'messages', batch, messages, ...(problem === undefined ? {} : { problem }) };
}

function speaksRpc(value: unknown): boolean {
  return isObject(value) && ('jsonrpc' in value || 'method' in value);
}

function hasInnerReturn(line: Buffer): boolean {
  const first = line.indexOf(CR);
  if (first === -1) return false;
  const rest = line.subarray(first).toString('latin1');
  return !/^\r\n?$/.test(rest);
}

function messageOf(value: unknown): Message {
  if (!isObject(value)) return { kind: 'unclear', problem: 'it is no object', value };
  if (value['jsonrpc'] !== '2.0') return { kind: 'unclear', problem: '"jsonrpc" is not "2.0"', value };
  const { method } = value;
  const answers = 'result' in value || 'error' in value;
  if (method === undefined && answers) return answerOf(value);
  if (typeof method !== 'string') return { kind: 'unclear', problem: 'it has no method', value };
  if (answers) return { kind: 'unclear', problem: 'it is request and answer at once', value };
  if (!('id' in value)) return { kind: 'notification', method, object: value };
  const { id } = value;
  if (!isId(id)) return { kind: 'unclear', problem: STRANGE_ID, value };
  return { kind: 'request', id, method, object: value };
}

const STRANGE_ID = 'its id is neither text nor number';

/** An error may lack an id: then the request could not be read. */
function answerOf(value: WireObject): Message {
  const id = value['id'] ?? null;
  const valid = isId(id) && ('id' in value || 'error' in value);
  return valid ? { kind: 'answer', id, object: value } : { kind: 'unclear', problem: STRANGE_ID, value };
}

/** Null, too: some use it for requests, and some servers act on those. */
function isId(id: unknown): id is string | number | null {
  return typeof id === 'string' || typeof id === 'number' || id === null;
}
