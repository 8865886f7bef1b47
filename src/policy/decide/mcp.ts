import { inherit } from '../schema/inherit.ts';
import { type Decision, permitted, quoted, violated } from './decision.ts';
import type { Engine } from './engine.ts';
import { type CompiledServers, compileServers } from './mcp-servers.ts';
import {
  compileSide,
  type CompiledSide,
  type McpKind,
  type McpPolicy,
  type McpSensor,
  type McpSide,
  rulesFor,
} from './mcp-rules.ts';

/** A sensor's MCP rules, ready to decide. */
export interface CompiledMcp {
  readonly client: CompiledSide;
  readonly server: CompiledSide;
  readonly servers: CompiledServers;
}

/** Prepares the MCP rules of one sensor. */
export function compileMcp(policy: McpPolicy, sensor: McpSensor, engine: Engine): CompiledMcp {
  const section = policy[sensor];
  const mcp = section?.mcp;
  // Without the section `mcp` there is nothing to decide, whatever the sensor's own switches say.
  const path = [mcp === undefined ? undefined : section, mcp];
  const at = `/${sensor}/mcp`;
  return {
    client: compileSide(path, mcp?.client, `${at}/client`, engine),
    server: compileSide(path, mcp?.server, `${at}/server`, engine),
    servers: compileServers(inherit(path), mcp, at, engine),
  };
}

/** What a session cannot do without: no rule on methods holds for these. */
const INDISPENSABLE = new Set([
  'initialize',
  'server/discover',
  'ping',
  'notifications/initialized',
  'notifications/cancelled',
]);

/** A tool, resource or prompt by its name or URI; a request or notification by its method. */
export interface McpNameQuery {
  readonly side: McpSide;
  readonly kind: McpKind;
  /** The server's name; undefined when it isn't known, then only the rules of `*` hold. */
  readonly server?: string | undefined;
  readonly name: string;
}

/**
 * Decides on one tool, resource or prompt: the same answer says whether it is left out of a list and whether a call is
 * refused. `deny_list` wins over `allow_list`; an empty `allow_list` allows nothing.
 */
export function decideMcpName(compiled: CompiledMcp, query: McpNameQuery): Decision {
  const side = compiled[query.side];
  const { enabled, mode } = side.mode;
  if (!enabled) return permitted('observe');
  const rules = rulesFor(side, query.kind, query.server);
  if (rules === undefined || (query.kind === 'method' && INDISPENSABLE.has(query.name))) return permitted(mode);
  const denied = rules.deny?.find(query.name) ?? -1;
  if (denied >= 0) {
    const remedy = 'Take it out of the deny_list to allow it.';
    return refused(mode, query, `${rules.pointer}/deny_list/${denied}`, 'is denied', remedy);
  }
  if (rules.allow === undefined || rules.allow.find(query.name) >= 0) return permitted(mode);
  const remedy = 'Add it to the allow_list to allow it.';
  return refused(mode, query, `${rules.pointer}/allow_list`, 'is not in the allow_list', remedy);
}

/** Decides on a tool that is not what was listed first in its session. */
export function decideMcpChange(compiled: CompiledMcp, { side, server, name }: Omit<McpNameQuery, 'kind'>): Decision {
  const { pins, mode } = compiled[side];
  if (pins === undefined || !mode.enabled) return permitted(mode.mode);
  const of = server === undefined ? '' : ` of server ${quoted(server)}`;
  return violated(mode.mode, {
    rule: pins,
    what: `The definition of tool ${quoted(name)}${of} is not the one that was listed first in this session.`,
    brief: `the tool ${quoted(name)}, whose definition has changed`,
    remedy: 'Look at what has changed; a new session pins the tool anew.',
  });
}

function refused(
  mode: Decision['mode'],
  { kind, name, server }: McpNameQuery,
  rule: string,
  what: string,
  remedy: string,
): Decision {
  const of = server === undefined ? '' : ` of server ${quoted(server)}`;
  const thing = `${kind} ${quoted(name)}`;
  return violated(mode, { rule, what: `The ${thing}${of} ${what}.`, brief: `the ${thing}`, remedy });
}

/** What a list may show, and the decisions on what was left out or would have been, by index. */
export interface McpListDecision<Item> {
  readonly items: readonly Item[];
  readonly violations: readonly { readonly name: string; readonly decision: Decision }[];
}

/** Filters a list result: in enforce mode what may not be called is not shown; in observe mode all of it is. */
export function decideMcpList<Item>(
  compiled: CompiledMcp,
  query: Omit<McpNameQuery, 'name'>,
  items: readonly Item[],
  nameOf: (item: Item) => string,
): McpListDecision<Item> {
  const judged = items.map((item) => {
    const name = nameOf(item);
    return { item, name, decision: decideMcpName(compiled, { ...query, name }) };
  });
  return {
    items: judged.filter(({ decision }) => decision.allowed).map(({ item }) => item),
    violations: judged.filter(({ decision }) => decision.violation).map(({ name, decision }) => ({ name, decision })),
  };
}
