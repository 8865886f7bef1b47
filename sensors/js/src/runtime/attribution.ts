import asyncHooks from 'node:async_hooks';

import type { JsonObject } from '../../../../src/core/json.ts';
import { redactSecrets } from '../events/redact.ts';

/** The MCP request on whose behalf code runs. */
export interface Cause {
  readonly requestId: string | number;
  readonly method: string;
  readonly name?: string;
  readonly server: string;
}

/**
 * Says which MCP request caused what a program does (AsyncLocalStorage).
 * Can't see: pooled sockets, which carry the request that opened them; work handed over by an application's own queue.
 */
export class Attribution {
  readonly #storage = new asyncHooks.AsyncLocalStorage<Cause>();

  /** Runs `fn` with everything that it starts attributed to `cause`. */
  run<T>(cause: Cause, fn: () => T): T {
    return this.#storage.run(cause, fn);
  }

  /** Attributes of the current request, if there is one. */
  attributes(): JsonObject {
    const cause = this.#storage.getStore();
    if (cause === undefined) return {};
    return {
      'jsonrpc.request.id': String(cause.requestId),
      'mcp.method.name': cause.method,
      'mcp.server.name': cause.server,
      ...(cause.name === undefined ? {} : { 'mcp.target.name': redactSecrets(cause.name) }),
    };
  }
}
