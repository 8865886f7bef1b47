import { createHash } from 'node:crypto';

import { ToolPins } from '../../policy/mcp/pins.ts';
import { isObject, stringAt, type WireObject } from '../../policy/mcp/wire.ts';
import type { Target } from './rules.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** Tasks that are remembered. */
const MAX_TASKS = 1024;

/** Pins for the tools of one server. */
export function toolPins(): ToolPins {
  return new ToolPins((text) => createHash('sha256').update(text).digest('hex'));
}

/** What is known of a server, whichever conversation it was learnt from. */
export class ServerFacts {
  readonly pins = toolPins();
  readonly #tasks = new Map<string, Target>();
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

  /** Remembers which call a task belongs to (2025-11-25): its result comes in an answer to another request. */
  learnTask(target: Target | undefined, result: WireObject): void {
    const id =
      stringAt(result['task'], 'taskId') ?? (result['resultType'] === 'task' ? stringAt(result, 'taskId') : undefined);
    if (id === undefined || target === undefined) return;
    if (this.#tasks.size >= MAX_TASKS) this.#tasks.clear();
    this.#tasks.set(id, target);
  }

  /** The call whose result is asked for. */
  taskOf(method: string, params: unknown): Target | undefined {
    if (method !== 'tasks/result' && method !== 'tasks/get') return undefined;
    return this.#tasks.get(stringAt(params, 'taskId') ?? '');
  }
}
