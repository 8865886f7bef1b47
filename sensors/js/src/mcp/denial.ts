import type { denialError } from '../../../../src/policy/mcp/denial.ts';
import type { WireMessage } from './wire.ts';

/** The answer to a refused request. */
export function denialMessage(id: string | number, error: ReturnType<typeof denialError>): WireMessage {
  return { jsonrpc: '2.0', id, error };
}

/**
 * The same refusal, looking like a result until it is written as JSON. For servers of SDK 1.10 that answer in plain
 * JSON: there an error response never ends the HTTP request, whoever sends it; later ones treat both alike.
 */
export function disguisedDenial(id: string | number, error: ReturnType<typeof denialError>): WireMessage {
  const message: WireMessage = { jsonrpc: '2.0', id, result: {} };
  Object.defineProperty(message, 'toJSON', { value: () => denialMessage(id, error) });
  return message;
}
