import { createRequire } from 'node:module';

import type { WireObject } from './wire.ts';

/** Modules that most programs don't need at start are loaded at first use. */
const builtin = createRequire('/');

/** JSON with sorted keys: equal definitions have equal text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`);
  return `{${pairs.join(',')}}`;
}

/** `sha256:<hex>` of a tool's definition, `_meta` apart (it may change with every listing). */
function toolDigest(tool: WireObject): string {
  const { createHash } = builtin('node:crypto') as typeof import('node:crypto');
  const { _meta, ...definition } = tool;
  return `sha256:${createHash('sha256').update(canonical(definition)).digest('hex')}`;
}

/** A tool whose definition is not the one that was listed first. */
export interface Change {
  readonly pinned: string;
  readonly now: string;
  /** Whether this very definition was told before. */
  readonly told: boolean;
}

/** Definitions as they were first listed in one conversation. */
export class ToolPins {
  readonly #pinned = new Map<string, string>();
  readonly #changed = new Map<string, string>();

  /** Pins a tool at its first sight; afterwards says whether it is another one now. */
  check(name: string, tool: WireObject): Change | undefined {
    const now = toolDigest(tool);
    const pinned = this.#pinned.get(name);
    if (pinned === undefined) {
      this.#pinned.set(name, now);
      return undefined;
    }
    if (pinned === now) {
      this.#changed.delete(name);
      return undefined;
    }
    const told = this.#changed.get(name) === now;
    this.#changed.set(name, now);
    return { pinned, now, told };
  }
}
