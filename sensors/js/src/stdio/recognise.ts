import { askedBy, eventOf } from '../../../../src/policy/mcp/methods.ts';
import { isObject, stringAt, type WireObject } from '../mcp/wire.ts';

/** The messages in a line of JSON-RPC, and whether it is a batch; `undefined`: it is none. */
export function messagesIn(
  line: Buffer,
): { readonly batch: boolean; readonly messages: readonly WireObject[] } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  const batch = Array.isArray(value);
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (messages.length === 0 || !messages.every(isMessage)) return undefined;
  return { batch, messages };
}

function isMessage(value: unknown): value is WireObject {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

/** Whether a client of MCP says this first. Other protocols are JSON-RPC in lines, too, and have an `initialize`. */
export function opensMcp(message: WireObject): boolean {
  const method = stringAt(message, 'method');
  if (method === undefined) return false;
  const params = isObject(message['params']) ? message['params'] : undefined;
  if (method === 'initialize') return stringAt(params, 'protocolVersion') !== undefined;
  return askedBy(method, params) !== undefined || eventOf(method) !== undefined;
}

/**
 * Whether an MCP SDK reads this stream: its transports' listener appends to a `readBuffer`, a property that bundlers
 * and minifiers keep. Then the SDK's protocol object is the place to look, and the lines are left alone.
 */
export function readBySdk(listeners: readonly unknown[]): boolean {
  return listeners.some((listener) => {
    if (typeof listener !== 'function') return false;
    const { listener: inner } = listener as { readonly listener?: unknown };
    const said = Function.prototype.toString.call(typeof inner === 'function' ? inner : listener);
    return said.includes('eadBuffer.append(');
  });
}
