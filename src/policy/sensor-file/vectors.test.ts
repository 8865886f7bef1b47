import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../core/json.ts';
import { compileA2a, decideA2aCard } from '../decide/a2a.ts';
import type { Decision } from '../decide/decision.ts';
import type { Engine } from '../decide/engine.ts';
import { hostEngine } from '../decide/host-engine.ts';
import { decideMcpContent } from '../decide/mcp-content.ts';
import {
  type CompiledMcp,
  compileMcp,
  decideMcpChange,
  decideMcpList,
  decideMcpName,
  type McpNameQuery,
} from '../decide/mcp.ts';
import type { McpSensor } from '../decide/mcp-rules.ts';
import { decideMcpHttp, decideMcpStdio } from '../decide/mcp-servers.ts';
import { canonicalUri, canonicalUrl } from '../decide/uri.ts';
import { canonicalName } from '../glob/name-list.ts';
import {
  judgeInputRequests,
  judgeMethod,
  judgeParameters,
  type MethodCourt,
  type MethodVerdict,
} from '../mcp/method-rules.ts';
import { ToolPins } from '../mcp/pins.ts';
import { Tasks } from '../mcp/tasks.ts';
import { isObject, type WireObject } from '../mcp/wire.ts';
import { matcher } from '../regex/run-program.ts';
import type { Policy } from '../schema/policy.ts';
import { compileSensorPolicy } from './compile.ts';
import { fileEngine } from './engine.ts';
import type { SensorPrograms } from './programs.ts';

/**
 * The decisions that every sensor must make the same way, in whatever language: test/vectors/NAME.json holds policy,
 * questions and answers, test/vectors/compiled/NAME.json the sensors' policy file for it. UCP_UPDATE=1 rewrites the
 * compiled files.
 */
const DIRECTORY = join(import.meta.dirname, '../../../test/vectors');
const COMPILED = join(DIRECTORY, 'compiled');

interface Case {
  readonly id: string;
  readonly op: string;
  readonly sensor?: McpSensor;
  readonly query: never;
  readonly expect: unknown;
}

interface VectorFile {
  readonly about: string;
  readonly policy?: Policy;
  readonly cases: readonly Case[];
}

// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the committed file holds
function read<Value>(path: string): Value {
  const value: Value = JSON.parse(readFileSync(path, 'utf8'));
  return value;
}

/** What the vectors hold of a decision; messages are for readers and may be worded per language. */
function verdict({ allowed, rule, mode, action, violation }: Decision): object {
  return { allowed, ...(rule === undefined ? {} : { rule }), mode, action, violation };
}

/** A tool as one listing after the other had it. */
interface ListedQuery extends McpNameQuery {
  readonly listed: readonly WireObject[];
}

/** What is told of each listing of a tool, and whether it may be called after the last. */
function pinned(rules: CompiledMcp, query: ListedQuery): object {
  const pins = new ToolPins((text) => createHash('sha256').update(text).digest('hex'));
  const told = query.listed.map((tool) => pins.check(query.name, tool) ?? null);
  const asked = pins.changed(query.name) ? decideMcpChange(rules, query) : decideMcpName(rules, query);
  return { ...verdict(asked), told };
}

/** A message that is judged by the rules on methods. */
interface MessageQuery extends Pick<McpNameQuery, 'side' | 'server'> {
  readonly method: string;
  readonly params?: unknown;
  readonly result?: WireObject;
}

const passed = ({ refusal, value }: MethodVerdict<string>, whole: unknown) =>
  refusal === undefined ? (value ?? whole) : null;

/** Which rules a message breaks, and what of it passes on. */
function judged(rules: CompiledMcp, query: MessageQuery): object {
  const told: string[] = [];
  const refusal = ({ allowed, rule }: Decision): string | undefined => {
    if (rule !== undefined) told.push(rule);
    return allowed ? undefined : rule;
  };
  const about = (name: string) => ({ side: query.side, kind: 'method', server: query.server, name }) as const;
  const court: MethodCourt<string> = {
    name: (method) => refusal(decideMcpName(rules, about(method))),
    content: (method, part, value) => {
      const decision = decideMcpContent(rules, { ...about(method), part, value: value as JsonObject });
      const refused = refusal(decision);
      if (refused !== undefined) return { refusal: refused };
      return decision.action === 'redacted' && isObject(decision.value) ? { value: decision.value } : {};
    },
    unclear: () => undefined,
  };
  if (query.result === undefined)
    return { value: passed(judgeParameters(court, query.method, query.params), query.params), told };
  const own = passed(judgeMethod(court, query.method, 'responses', query.result), query.result);
  const value = isObject(own) ? passed(judgeInputRequests(court, query.method, own), own) : own;
  return { value, told };
}

/** A call with its result, or a request that may ask for a task's. */
type TaskStep =
  | { readonly call: string | null; readonly result: WireObject }
  | { readonly asks: string; readonly params: unknown };

/** The calls whose results the requests ask for. */
function fetched(steps: readonly TaskStep[]): readonly (string | null)[] {
  const tasks = new Tasks<string>();
  return steps.flatMap((step) => {
    if ('asks' in step) return [tasks.callOf(step.asks, step.params) ?? null];
    tasks.learn(step.call ?? undefined, step.result);
    return [];
  });
}

/** Answers one question; the compiled rules come from `engine`. */
function answer(policy: Policy | undefined, engine: Engine): (question: Case) => unknown {
  const rules = (sensor: McpSensor) => compileMcp(policy ?? { policy_id: 'none', version: 0 }, sensor, engine);
  const bySensor = { js_sensor: rules('js_sensor'), python_sensor: rules('python_sensor'), gateway: rules('gateway') };
  const operations: Record<string, (query: never, sensor: McpSensor) => unknown> = {
    name: (query, sensor) => verdict(decideMcpName(bySensor[sensor], query)),
    list: (query: { names: readonly string[] } & Parameters<typeof decideMcpName>[1], sensor) => {
      const { items, violations } = decideMcpList(bySensor[sensor], query, query.names, (name) => name);
      return { shown: items, violations: violations.map(({ name, decision }) => ({ name, rule: decision.rule })) };
    },
    content: (query, sensor) => {
      const decision = decideMcpContent(bySensor[sensor], query);
      return { ...verdict(decision), value: decision.value };
    },
    change: (query: ListedQuery, sensor) => pinned(bySensor[sensor], query),
    request: (query: MessageQuery, sensor) => judged(bySensor[sensor], query),
    result: (query: MessageQuery, sensor) => judged(bySensor[sensor], query),
    http: (query, sensor) => verdict(decideMcpHttp(bySensor[sensor].servers, query)),
    stdio: (query, sensor) => verdict(decideMcpStdio(bySensor[sensor].servers, query)),
    a2a: (query) => verdict(decideA2aCard(compileA2a(policy ?? {}, engine), query)),
    tasks: ({ steps }: { steps: readonly TaskStep[] }) => fetched(steps),
    canonical_name: ({ text }: { text: string }) => canonicalName(text),
    canonical_uri: ({ text }: { text: string }) => canonicalUri(text),
    canonical_url: ({ text }: { text: string }) => canonicalUrl(text) ?? null,
    regex: ({ regex, text }: { regex: string; text: string }) => {
      const program = matcher(engine.regex(regex));
      return { test: program.test(text), matches: program.spans(text).map(({ start, end }) => text.slice(start, end)) };
    },
  };
  return ({ op, sensor, query }) => operations[op]?.(query, sensor ?? 'js_sensor');
}

const names = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -5));

describe.each(names)('vectors %s', (name) => {
  const file = read<VectorFile>(join(DIRECTORY, `${name}.json`));
  const path = join(COMPILED, `${name}.json`);
  const compiled =
    file.policy === undefined
      ? undefined
      : compileSensorPolicy(file.policy, {
          policy_id: file.policy.policy_id,
          version: 1,
          digest: `sha256:${name}`,
          generation: 1,
        });

  it('have a policy file for sensors that is up to date', () => {
    if (process.env['UCP_UPDATE'] === '1' && compiled !== undefined) {
      mkdirSync(COMPILED, { recursive: true });
      writeFileSync(path, `${JSON.stringify(compiled)}\n`);
    }
    expect(existsSync(path) ? read(path) : undefined).toEqual(compiled);
  });

  it('are answered as they say by rules made from their source', () => {
    const ask = answer(file.policy, hostEngine);
    expect(file.cases.map((question) => [question.id, ask(question)])).toEqual(
      file.cases.map(({ id, expect }) => [id, expect]),
    );
  });

  it('are answered as they say by rules read from the policy file', () => {
    const programs: SensorPrograms = existsSync(path)
      ? read<{ programs: SensorPrograms }>(path).programs
      : { regex: {}, builtin: {}, globs: {} };
    const ask = answer(file.policy, fileEngine(programs));
    expect(file.cases.map((question) => [question.id, ask(question)])).toEqual(
      file.cases.map(({ id, expect }) => [id, expect]),
    );
  });
});
