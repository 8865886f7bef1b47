import type { WireObject } from './wire.ts';

/** Tools whose definitions are remembered; a server with more of them is not told of. */
const MAX = 4096;

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

/** A tool whose definition is not the one that was listed first. */
export interface Change {
  readonly pinned: string;
  readonly now: string;
  /** Whether this very definition was told before. */
  readonly told: boolean;
}

/** Definitions of tools as they were first listed. */
export class ToolPins {
  readonly #sha256: (text: string) => string;
  readonly #pinned = new Map<string, string>();
  readonly #changed = new Map<string, string>();

  /** `sha256` gives hexadecimal digits. */
  constructor(sha256: (text: string) => string) {
    this.#sha256 = sha256;
  }

  /** Whether a tool was another one when it was last listed. */
  changed(name: string): boolean {
    return this.#changed.size > 0 && this.#changed.has(name);
  }

  /** Pins a tool at its first sight; afterwards says whether it is another one now. */
  check(name: string, tool: WireObject): Change | undefined {
    const pinned = this.#pinned.get(name);
    if (pinned === undefined && this.#pinned.size >= MAX) return undefined;
    // `_meta` may change with every listing.
    const { _meta, ...definition } = tool;
    const now = `sha256:${this.#sha256(canonical(definition))}`;
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
