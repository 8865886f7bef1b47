import type { NewEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';

/** A process or an ancestor of one, as the helper tells it: numbers inside the sandbox, times of the monotonic clock. */
export interface Ancestor {
  readonly pidInside: number;
  /** When it was forked, ns; 0 where that is not known. */
  readonly born: number;
  /** The thread that forked it; 0 where that is not known. */
  readonly by: number;
}

/** Attributes of the MCP request that caused something, with the id of the event that says so. */
export type Cause = JsonObject;

interface Announcement {
  readonly tid: number;
  /** Of the monotonic clock, ns. */
  readonly at: number;
  /** Undefined: the sensor knows of no request. */
  readonly cause: Cause | undefined;
}

/** Attributes of a sensor's event that name a request. */
const NAMES = ['jsonrpc.request.id', 'mcp.method.name', 'mcp.server.name', 'mcp.target.name'] as const;
const TOOL = 'gen_ai.tool.name';
/** What is remembered of one sandbox. */
const ANNOUNCEMENTS = 4_096;
const PROCESSES = 8_192;
/** How long before a fork it may have been announced, ns: on a busy machine the two are far apart. */
const WINDOW = 60e9;

const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/**
 * Which MCP request caused a process of one sandbox. Before a sensor's program starts a child, the sensor says which of
 * its threads is about to, and for which request; that thread's next child, and all that come from it, are the
 * request's. What a sensor says is a claim of the sandbox's.
 */
export class Causes {
  /** By thread, oldest first. */
  readonly #announced: Announcement[] = [];
  /** Processes whose cause is known, by number inside. */
  readonly #known = new Map<number, { readonly born: number; readonly cause: Cause }>();
  /** Causes of violations, by the host's number of the process: it may be forgotten when it is told of again. */
  readonly #violations = new Map<number, Cause>();
  #caused = false;

  /** False as long as no request was ever named: nothing can have a cause. */
  get any(): boolean {
    return this.#caused;
  }

  /** Hears a sensor's `process_spawn`. */
  announce({ id, body, attributes = {} }: Pick<NewEvent, 'id' | 'body' | 'attributes'>): void {
    const tid = number(body['tid']);
    const at = number(body['clock_ns']);
    if (tid === 0 || at === 0) return;
    const cause = attributes['jsonrpc.request.id'] === undefined ? undefined : causeOf(id, attributes);
    this.#caused ||= cause !== undefined;
    this.#announced.push({ tid, at, cause });
    if (this.#announced.length > ANNOUNCEMENTS) this.#announced.shift();
  }

  /** The cause of the first process of `lineage` (nearest first): its own, or that of the nearest ancestor with one. */
  of(lineage: readonly Ancestor[]): Cause | undefined {
    for (const ancestor of lineage) {
      const cause = this.#remembered(ancestor) ?? this.#announcement(ancestor)?.cause;
      if (cause === undefined) continue;
      const [self] = lineage;
      if (self !== undefined) this.#remember(self, cause);
      return cause;
    }
    return undefined;
  }

  /** The cause of a violation of the process with this number of the host. */
  ofViolation(pid: number, lineage: readonly Ancestor[]): Cause | undefined {
    const cause = lineage.length === 0 ? this.#violations.get(pid) : this.of(lineage);
    if (cause !== undefined && this.#violations.size < PROCESSES) this.#violations.set(pid, cause);
    return cause;
  }

  /** The process ended. */
  ended(pidInside: number): void {
    this.#known.delete(pidInside);
  }

  #remembered({ pidInside, born }: Ancestor): Cause | undefined {
    const found = this.#known.get(pidInside);
    return found !== undefined && found.born === born ? found.cause : undefined;
  }

  #announcement({ by, born }: Ancestor): Announcement | undefined {
    if (by === 0 || born === 0) return undefined;
    return this.#announced.findLast(({ tid, at }) => tid === by && at <= born && born - at < WINDOW);
  }

  #remember({ pidInside, born }: Ancestor, cause: Cause): void {
    this.#known.delete(pidInside);
    this.#known.set(pidInside, { born, cause });
    const [oldest] = this.#known.keys();
    if (this.#known.size > PROCESSES && oldest !== undefined) this.#known.delete(oldest);
  }
}

function causeOf(id: string | undefined, attributes: JsonObject): Cause {
  const named = NAMES.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]] as const]));
  const target = attributes['mcp.target.name'];
  return {
    ...Object.fromEntries(named),
    ...(attributes['mcp.method.name'] === 'tools/call' && target !== undefined ? { [TOOL]: target } : {}),
    ...(id === undefined ? {} : { 'ucp.cause.event': id }),
  };
}

/** What the helper says of a process and its ancestors. */
export function lineageOf(said: unknown): readonly (Ancestor & { readonly pid: number; readonly comm: string })[] {
  if (!Array.isArray(said)) return [];
  return said.map((entry: JsonObject) => ({
    pid: number(entry['pid']),
    pidInside: number(entry['pidInside']),
    born: number(entry['born']),
    by: number(entry['by']),
    comm: typeof entry['comm'] === 'string' ? entry['comm'] : '',
  }));
}
