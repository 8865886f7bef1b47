import { createHash } from 'node:crypto';

import { ToolPins } from '../../policy/mcp/pins.ts';
import { Tasks } from '../../policy/mcp/tasks.ts';
import { isObject, stringAt, type WireObject } from '../../policy/mcp/wire.ts';
import type { Target } from './rules.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** Pins for the tools of one server. */
export function toolPins(): ToolPins {
  return new ToolPins((text) => createHash('sha256').update(text).digest('hex'));
}

/** What is known of a server, whichever conversation it was learnt from. */
export class ServerFacts {
  readonly pins = toolPins();
  /** Calls whose results are fetched later. */
  readonly tasks = new Tasks<Target>();
  #name: string | undefined;

  /** The server's own name; undefined until it has said it. The first word counts. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Looks at a result of the server; `introduces`: it may be that of `initialize` or `server/discover`. */
  learn(result: WireObject, introduces: boolean): void {
    if (this.#name !== undefined) return;
    const meta = result['_meta'];
    const stamped = isObject(meta) ? stringAt(meta[SERVER_INFO], 'name') : undefined;
    this.#name = (introduces ? stringAt(result['serverInfo'], 'name') : undefined) ?? stamped;
  }
}
