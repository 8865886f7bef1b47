/**
 * Puts a hook in place when the program first asks for a builtin module, so that programs that never do don't pay for
 * loading it.
 *
 * Since: `module.registerHooks` (22.15, 23.5) is told of builtins, however they are asked for; before it the hook is
 * put in place at once.
 * Can't see: Node's own use of the module, which is not the program's.
 */
import module from 'node:module';

import { platformOf } from '../runtime/platform.ts';
import { guarded, wrap } from '../wrap.ts';

/** Hooks that wait for a builtin, by its URL (`node:vm`). */
export class FirstUse {
  readonly #waiting = new Map<string, () => void>();
  readonly #lazy = typeof module.registerHooks === 'function' && isNode();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
    if (!this.#lazy) return;
    wrap(process, 'getBuiltinModule', (original) => (name) => {
      this.asked(String(name).startsWith('node:') ? String(name) : `node:${String(name)}`);
      return original.call(process, name);
    });
  }

  /** Runs `put` once before the program gets the first of `urls`, or now where that can't be known. */
  before(urls: readonly string[], put: () => void): void {
    if (!this.#lazy) return put();
    const once = onlyOnce(put);
    for (const url of urls) this.#waiting.set(url, once);
  }

  /** The program is about to get `url`. */
  asked(url: string): void {
    const put = this.#waiting.get(url);
    if (put === undefined) return;
    this.#waiting.delete(url);
    guarded(this.#report, put);
  }
}

/** Bun and Deno load modules past these hooks, whatever functions they have. */
function isNode(): boolean {
  const platform = platformOf(process.versions);
  return platform === 'node' || platform === 'electron';
}

/** `put`, whose second call does nothing. */
export function onlyOnce(put: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    put();
  };
}
