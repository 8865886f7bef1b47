import type { Policy } from '../schema/policy.ts';
import type { FullSide, Rules } from '../schema/mcp.ts';
import { inherit, type Mode, type Switches } from '../schema/inherit.ts';
import type { List } from '../glob/list.ts';
import { canonicalName, nameList } from '../glob/name-list.ts';
import { pointer } from './decision.ts';
import type { Engine } from './engine.ts';
import { type CompiledPatterns, compilePatterns } from './patterns.ts';
import { canonicalUri } from './uri.ts';

/** Sections of a policy that have MCP rules. */
export const MCP_SENSORS = ['js_sensor', 'python_sensor', 'gateway'] as const;
export type McpSensor = (typeof MCP_SENSORS)[number];
/** The part of a policy that decides on MCP. */
export type McpPolicy = Pick<Policy, McpSensor>;

/** What the application is in the conversation. */
export type McpSide = 'client' | 'server';
/** What a name names. */
export type McpKind = 'tool' | 'resource' | 'prompt' | 'method';

/** Rules for the tools, resources or prompts of one server. */
export interface CompiledRules {
  readonly pointer: string;
  readonly deny: List | undefined;
  readonly allow: List | undefined;
  readonly arguments: CompiledPatterns | undefined;
  readonly responses: CompiledPatterns | undefined;
}

/** One side's rules by kind and by canonical server name. */
export interface CompiledSide {
  readonly mode: Mode;
  readonly rules: Readonly<Record<McpKind, ReadonlyMap<string, CompiledRules>>>;
  /** The rule that a tool stays what it was, where there is one. */
  readonly pins: string | undefined;
}

const SECTIONS = { tool: 'tools', resource: 'resources', prompt: 'prompts', method: 'methods' } as const;

/** Prepares one side of `path` (sensor, mcp), which stands at the pointer `at`. */
export function compileSide(
  path: readonly (Switches | undefined)[],
  side: FullSide | undefined,
  at: string,
  engine: Engine,
): CompiledSide {
  const compileKind = (kind: McpKind): ReadonlyMap<string, CompiledRules> =>
    new Map(
      Object.entries(side?.[SECTIONS[kind]] ?? {}).map(([server, rules]) => [
        canonicalName(server),
        compileRules(rules, kind, at + pointer(SECTIONS[kind], server), engine),
      ]),
    );
  return {
    mode: inherit([...path, side]),
    rules: {
      tool: compileKind('tool'),
      resource: compileKind('resource'),
      prompt: compileKind('prompt'),
      method: compileKind('method'),
    },
    pins: side?.pin_tools === true ? `${at}/pin_tools` : undefined,
  };
}

function compileRules(rules: Rules, kind: McpKind, at: string, engine: Engine): CompiledRules {
  const list = (entries: readonly string[] | undefined): List | undefined =>
    entries === undefined ? undefined : kind === 'resource' ? uriList(entries, engine) : nameList(entries);
  return {
    pointer: at,
    deny: list(rules.deny_list),
    allow: list(rules.allow_list),
    arguments: compilePatterns(rules.arguments, `${at}/arguments`, engine),
    responses: compilePatterns(rules.responses, `${at}/responses`, engine),
  };
}

/** Globs over resource URIs; a lone `*` stands for every URI, slashes included, as it does for names. */
function uriList(entries: readonly string[], engine: Engine): List {
  const globs = engine.globs(entries);
  const every = entries.indexOf('*');
  return {
    find: (uri) => {
      const found = globs.find(canonicalUri(uri));
      if (every < 0) return found;
      return found < 0 ? every : Math.min(found, every);
    },
  };
}

/** The rules that hold for a server: its own, else those of `*`. An unknown server has only `*`. */
export function rulesFor(side: CompiledSide, kind: McpKind, server: string | undefined): CompiledRules | undefined {
  const rules = side.rules[kind];
  return (server === undefined ? undefined : rules.get(canonicalName(server))) ?? rules.get('*');
}
