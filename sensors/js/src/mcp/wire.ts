import type { WireObject } from '../../../../src/policy/mcp/wire.ts';

export { isObject, stringAt, type WireObject } from '../../../../src/policy/mcp/wire.ts';

/** JSON-RPC 2.0 as it passes a transport: only what the sensor looks at. */
export interface WireMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: WireObject;
  readonly result?: WireObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What the SDKs call a transport: an object that sends, and calls `onmessage` with what arrives. */
export interface Transport {
  send: (message: WireMessage, ...options: unknown[]) => Promise<void>;
  onmessage?: ((message: WireMessage, ...extra: unknown[]) => void) | undefined;
  start: () => Promise<void>;
  sessionId?: string;
}
