import { UcpError } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/json.ts';
import {
  compileMcp,
  decideMcpContent,
  decideMcpHttp,
  decideMcpName,
  decideMcpStdio,
  hostEngine,
  type CompiledMcp,
  type McpNameQuery,
  type McpSensor,
  type Policy,
} from '../../../policy/index.ts';
import { type Answer, strictest, toAnswer } from './answer.ts';
import type { Query } from './query.ts';

const SENSORS: readonly McpSensor[] = ['js_sensor', 'python_sensor', 'gateway'];
const SIDES = ['client', 'server'] as const;

/** The strictest answer of the sensors and sides that have rules, or of the ones the question names. */
export function askName(policy: Policy, kind: McpNameQuery['kind'], query: Query): Answer {
  const [, server, name] = /^([^/]*)\/(.+)$/s.exec(query.query) ?? [];
  if (server === undefined || name === undefined) {
    throw new UcpError(
      'POLICY_QUERY',
      `expected SERVER/NAME, got "${query.query}"; * stands for a server without rules of its own`,
    );
  }
  const asked = { kind, server: server === '*' ? undefined : server, name };
  const answers = sensorsOf(policy, query).flatMap((sensor) => {
    const compiled = compileMcp(policy, sensor, hostEngine);
    return (query.side === undefined ? SIDES : [query.side]).map((side) =>
      askSide(compiled, { ...asked, side }, query, `${sensor}.mcp.${side}`),
    );
  });
  return strictest(answers) ?? unruled('mcp');
}

/** First the name, then what the call carries. */
function askSide(compiled: CompiledMcp, asked: McpNameQuery, { args, response }: Query, by: string): Answer {
  const judge = (part: 'arguments' | 'responses', value: JsonValue | undefined): Answer[] =>
    value === undefined ? [] : [toAnswer(decideMcpContent(compiled, { ...asked, part, value }), by)];
  const named = toAnswer(decideMcpName(compiled, asked), by);
  return strictest([named, ...judge('arguments', args), ...judge('responses', response)]) ?? named;
}

export function askHttpServer(policy: Policy, query: Query): Answer {
  const { transport = 'http', authenticated = false } = query;
  return askServers(policy, query, ({ servers }) =>
    decideMcpHttp(servers, { url: query.query, transport, authenticated }),
  );
}

export function askStdioServer(policy: Policy, query: Query): Answer {
  const args = query.args ?? [];
  if (!isStrings(args)) {
    throw new UcpError(
      'POLICY_QUERY',
      `expected the server's arguments as a JSON list of strings, got ${JSON.stringify(args)}`,
    );
  }
  return askServers(policy, query, ({ servers }) => decideMcpStdio(servers, { command: query.query, args }));
}

function askServers(
  policy: Policy,
  query: Query,
  decide: (compiled: CompiledMcp) => Parameters<typeof toAnswer>[0],
): Answer {
  const answers = sensorsOf(policy, query).map((sensor) =>
    toAnswer(decide(compileMcp(policy, sensor, hostEngine)), `${sensor}.mcp`),
  );
  return strictest(answers) ?? unruled('mcp');
}

function sensorsOf(policy: Policy, { sensor }: Query): readonly McpSensor[] {
  return SENSORS.filter((name) => (sensor === undefined || sensor === name) && policy[name]?.mcp !== undefined);
}

/** No section speaks about it. */
function unruled(section: string): Answer {
  return { verdict: 'allowed', mode: 'observe', message: '', by: `(no section ${section})` };
}

function isStrings(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
