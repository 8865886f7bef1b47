import type { Connect, Side } from '../policy/decider.ts';
import { isObject, stringAt, type WireObject } from './wire.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/**
 * Who the server of a conversation is: what the protocol object knows (`_serverInfo` of a server, `_serverVersion` of
 * a client: both SDK lines, no getters needed), else what a result said of itself.
 */
export class ServerIdentity {
  readonly #owner: unknown;
  #said: string | undefined;

  constructor(owner: unknown) {
    this.#owner = owner;
  }

  /** `undefined` until it is known. */
  get name(): string | undefined {
    const owner = this.#owner;
    if (isObject(owner)) {
      const known = owner['_serverInfo'] ?? owner['_serverVersion'];
      if (known !== undefined) return stringAt(known, 'name');
    }
    return this.#said;
  }

  /** What the program is in this conversation. */
  get role(): Side {
    return isObject(this.#owner) && this.#owner['_serverInfo'] !== undefined ? 'server' : 'client';
  }

  /**
   * The kinds of lists whose change this program may hear of (a client: whatever the server offers, because a cache
   * may hold it) or speak of (a server: what it declared).
   */
  get kinds(): ReadonlySet<string> {
    const owner = isObject(this.#owner) ? this.#owner : {};
    const server = this.role === 'server';
    const capabilities = server ? owner['_capabilities'] : owner['_serverCapabilities'];
    if (!isObject(capabilities)) return new Set();
    const declared = Object.entries(capabilities).filter(
      ([, value]) => isObject(value) && (!server || value['listChanged'] === true),
    );
    return new Set(declared.map(([kind]) => kind));
  }

  /** Looks at a result of `initialize` or `server/discover`, or at the stamp on a modern result. */
  learn(result: unknown): void {
    if (this.#said !== undefined || !isObject(result)) return;
    const meta = result['_meta'];
    this.#said =
      stringAt(result['serverInfo'], 'name') ?? (isObject(meta) ? stringAt(meta[SERVER_INFO], 'name') : undefined);
  }
}

/** How a client's transport reaches its server; `undefined` for in-memory and transports of an application's own. */
export function connectOf(transport: unknown): Connect | undefined {
  if (!isObject(transport)) return undefined;
  const params = transport['_serverParams'] ?? transport['serverParams'];
  const command = stringAt(params, 'command');
  if (command !== undefined) {
    const args = isObject(params) && Array.isArray(params['args']) ? params['args'].map(String) : [];
    return { transport: 'stdio', command, args };
  }
  const url = transport['_url'] ?? transport['url'];
  if (!(url instanceof URL) && typeof url !== 'string') return undefined;
  // Only Streamable HTTP reconnects by options of its own; the old SSE transport leaves that to EventSource.
  const sse = !('_reconnectionOptions' in transport) && '_eventSourceInit' in transport;
  return { transport: sse ? 'sse' : 'http', url: String(url), authenticated: authenticated(transport) };
}

/** Whether a client's transport will present credentials. */
function authenticated(transport: WireObject): boolean {
  if (transport['_authProvider'] !== undefined || transport['authProvider'] !== undefined) return true;
  const init = transport['_requestInit'];
  const headers = isObject(init) ? init['headers'] : transport['headers'];
  if (headers instanceof Headers) return headers.has('authorization');
  const names = Array.isArray(headers)
    ? headers.map((pair: unknown) => String(Array.isArray(pair) ? pair[0] : ''))
    : Object.keys(headers ?? {});
  return names.some((name) => name.toLowerCase() === 'authorization');
}
