import { stringAt, type WireObject } from './wire.ts';

/** Tasks that are remembered; the oldest goes first. */
const MAX_TASKS = 1024;

/** Requests whose answers hold a task's result: of 2025-11-25, and of the extension of 2026-07-28. */
const FETCHES: ReadonlySet<string> = new Set(['tasks/result', 'tasks/get']);

/** Which call each task belongs to: its result comes in the answer to another request. */
export class Tasks<Call> {
  readonly #calls = new Map<string, Call>();

  /** Looks at the result of a call: it may be a task instead. */
  learn(call: Call | undefined, result: WireObject): void {
    const id =
      stringAt(result['task'], 'taskId') ?? (result['resultType'] === 'task' ? stringAt(result, 'taskId') : undefined);
    if (id === undefined || call === undefined) return;
    const [oldest] = this.#calls.keys();
    if (this.#calls.size >= MAX_TASKS && oldest !== undefined) this.#calls.delete(oldest);
    this.#calls.set(id, call);
  }

  /** The call whose result a request asks for. */
  callOf(method: string, params: unknown): Call | undefined {
    return FETCHES.has(method) ? this.#calls.get(stringAt(params, 'taskId') ?? '') : undefined;
  }
}
