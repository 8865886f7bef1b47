import type { HttpServers, AppMcp, FullSide, Rules, StdioServers, Switches } from '../../../policy/index.ts';
import { type Fact, isOn, listFacts, modeFact } from './fact.ts';
import { patternFacts } from './pattern-facts.ts';

const KINDS = ['tools', 'resources', 'prompts', 'methods'] as const;
const SIDES = ['client', 'server'] as const;

/** The facts of a sensor's `mcp`; `path` is the section around it. */
export function mcpFacts(pointer: string, path: readonly (Switches | undefined)[], mcp: AppMcp | undefined): Fact[] {
  if (mcp === undefined || !isOn([...path, mcp])) return [];
  const sides = SIDES.flatMap((name) => sideFacts(`${pointer}/${name}`, name, [...path, mcp], mcp[name]));
  return [
    ...httpFacts(`${pointer}/http_servers`, mcp.http_servers),
    ...stdioFacts(`${pointer}/stdio_servers`, mcp.stdio_servers),
    ...sides,
  ];
}

function httpFacts(pointer: string, http: HttpServers | undefined): Fact[] {
  const switches = {
    deny_http: 'MCP servers over Streamable HTTP',
    deny_sse: 'MCP servers over SSE',
    force_authentication: 'MCP requests over HTTP without credentials',
  };
  const denied = Object.entries(switches)
    .filter(
      ([key]) => http !== undefined && Object.entries(http).some(([name, value]) => name === key && value === true),
    )
    .map(([key, subject]): Fact => ({ kind: 'denies', subject, pointer: `${pointer}/${key}` }));
  const excepted = (http?.exception_list ?? []).map((url, index): Fact => ({
    kind: 'allows',
    subject: `the MCP servers at ${url}`,
    pointer: `${pointer}/exception_list/${index}`,
  }));
  return [...denied, ...excepted];
}

function stdioFacts(pointer: string, stdio: StdioServers | undefined): Fact[] {
  const excepted = (stdio?.exception_list ?? []).map(({ command, args }, index): Fact => ({
    kind: 'allows',
    subject: `starting the MCP server ${[command, ...(args ?? ['with any arguments'])].join(' ')}`,
    pointer: `${pointer}/exception_list/${index}`,
  }));
  if (stdio?.deny_stdio !== true) return excepted;
  return [{ kind: 'denies', subject: 'starting any other MCP server', pointer: `${pointer}/deny_stdio` }, ...excepted];
}

function sideFacts(
  pointer: string,
  name: string,
  path: readonly (Switches | undefined)[],
  side: FullSide | undefined,
): Fact[] {
  if (side === undefined) return [];
  const rules = KINDS.flatMap((kind) =>
    Object.entries(side[kind] ?? {}).flatMap(([server, found]) =>
      ruleFacts(`${pointer}/${kind}/${escape(server)}`, found, kind, server, name),
    ),
  );
  const pins: Fact[] =
    side.pin_tools === true
      ? [{ kind: 'denies', subject: `tools that change (${name} side)`, pointer: `${pointer}/pin_tools` }]
      : [];
  return [
    modeFact(`the ${name} side`, pointer, [...path, side]),
    ...(isOn([...path, side]) ? [...rules, ...pins] : []),
  ];
}

function ruleFacts(pointer: string, rules: Rules, kind: string, server: string, side: string): Fact[] {
  const of = server === '*' ? 'of servers without rules of their own' : `of server ${JSON.stringify(server)}`;
  const where = `${of} (${side} side)`;
  const one = kind.slice(0, -1);
  const own: Fact[] =
    server === '*'
      ? []
      : [{ kind: 'setting', subject: `${kind} ${where}`, value: 'rules of its own, not those of *', pointer }];
  return [
    ...own,
    ...listFacts(pointer, rules, {
      each: (entry) => `the ${one} ${entry} ${where}`,
      other: `every other ${one} ${where}`,
    }),
    ...patternFacts(`${pointer}/arguments`, rules.arguments, `arguments of ${kind} ${where}`),
    ...patternFacts(`${pointer}/responses`, rules.responses, `results of ${kind} ${where}`),
  ];
}

const escape = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
