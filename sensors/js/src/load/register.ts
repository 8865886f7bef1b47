/**
 * Puts {@link rewrite} between the loader and the program, for ESM and CommonJS.
 *
 * Since: `module.registerHooks` (22.15, 23.5) covers both kinds in this thread. Before it (20, 22.0–22.14),
 * `module.register` (off-thread, ESM) and a wrap of `Module.prototype._compile` (CommonJS). The wrap also where a program
 * puts its own reader of `.js` files in the place of Node's (tsx), which the hooks are not told of.
 * Can't see: modules that were loaded before the preload; Bun and Deno (see runtime detection).
 */
import Module from 'node:module';

import type { FirstUse } from './first-use.ts';
import { HOOK, rewrite } from './rewrite.ts';

type Source = string | NodeJS.ArrayBufferView | ArrayBuffer | undefined | null;

/** Formats whose source is program text. */
const CODE = new Set(['module', 'commonjs', 'module-typescript', 'commonjs-typescript']);

/** Text of `source` where it is worth a look. */
function text(source: Source): string | undefined {
  if (typeof source === 'string') return source;
  if (source === undefined || source === null) return undefined;
  const view = ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source);
  return view.includes('ransport.start()') ? view.toString('utf8') : undefined;
}

/** `source` rewritten, or `undefined` where it stays as it is. */
function turned(source: Source): string | undefined {
  const program = text(source);
  return program === undefined ? undefined : rewrite(program);
}

/** Starts rewriting what this thread loads from now on. */
export function installLoader(builtins: FirstUse): void {
  if (typeof Module.registerHooks === 'function') {
    Module.registerHooks({
      load(url, context, next) {
        if (url.startsWith('node:')) builtins.asked(url);
        const loaded = next(url, context);
        if (loaded.format !== undefined && loaded.format !== null && !CODE.has(loaded.format)) return loaded;
        const source = turned(loaded.source);
        return source === undefined ? loaded : { ...loaded, source };
      },
    });
    onceReplaced(extensionsOf(Module), '.js', wrapCompile);
    return;
  }
  wrapCompile();
  Module.register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
}

type Extensions = Record<string, unknown>;

function extensionsOf(module: unknown): Extensions {
  return (module as { _extensions: Extensions })._extensions;
}

/** Calls `then` when a program first assigns `owner[name]`. Not at once: the wrap would show in every stack trace. */
function onceReplaced(owner: Extensions, name: string, then: () => void): void {
  let value = owner[name];
  let replaced = false;
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: true,
    get: () => value,
    set: (next: unknown) => {
      value = next;
      if (!replaced) then();
      replaced = true;
    },
  });
}

interface Compiles {
  _compile: (this: unknown, content: string, ...rest: unknown[]) => unknown;
}

/** Rewrites what CommonJS modules are compiled from, whoever read it. */
function wrapCompile(): void {
  const prototype = Module.prototype as unknown as Compiles;
  const compile = prototype._compile;
  prototype._compile = function _compile(content, ...rest) {
    return compile.call(this, rewrite(content) ?? content, ...rest);
  };
}

/**
 * The loader thread's module. It is text, not a function of ours, because a minifier would rename what it refers to.
 * It repeats rewrite.ts; a test compares both.
 */
export const LOADER = String.raw`
const START = /(?<![\w$.)\]?])([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\.(_?transport)\.start\(\)/g;
const NOT = new Set(['super', 'import', 'new']);
export function turn(text) {
  return text.replace(START, (whole, owner, field) => {
    if (NOT.has(owner)) return whole;
    const call = field === 'transport' ? '${HOOK}(' + owner + ',1)' : '${HOOK}(' + owner + ')';
    return call.padEnd(owner.length + 1 + field.length) + '.start()';
  });
}
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || !loaded.source) return loaded;
  const bytes = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source);
  if (!bytes.includes('ransport.start()')) return loaded;
  return { ...loaded, source: turn(bytes.toString('utf8')) };
}
`;
