/**
 * Puts a hook in place when the program first asks for a builtin module, so that programs that never do don't pay for
 * loading it.
 *
 * Since: `module.registerHooks` (22.15, 23.5) is told of builtins, however they are asked for; before it the hook is
 * put in place at once.
 * Can't see: Node's own use of the module, which is not the program's.
 */
import { registerHooks } from 'node:module';

import { wrap } from '../wrap.ts';

/** Hooks that wait for their builtin, by its URL (`node:vm`). */
export class FirstUse {
  readonly #waiting = new Map<string, () => void>();
  readonly #lazy = typeof registerHooks === 'function';

  constructor() {
    if (!this.#lazy) return;
    wrap(process, 'getBuiltinModule', (original) => (name) => {
      this.asked(String(name).startsWith('node:') ? String(name) : `node:${String(name)}`);
      return original.call(process, name);
    });
  }

  /** Runs `put` before the program gets `url`, or now where that can't be known. */
  before(url: string, put: () => void): void {
    if (this.#lazy) this.#waiting.set(url, put);
    else put();
  }

  /** The program is about to get `url`. */
  asked(url: string): void {
    const put = this.#waiting.get(url);
    if (put === undefined) return;
    this.#waiting.delete(url);
    put();
  }
}
