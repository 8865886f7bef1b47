import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { McpSensor } from '../../policy/decide/mcp-rules.ts';
import type { Policy } from '../../policy/schema/policy.ts';
import { compileSensorPolicy } from '../../policy/sensor-file/compile.ts';
import { GatewayScene, line } from './testing.ts';

/** The decisions that every sensor must make the same way, asked of the gateway as messages. */
const DIRECTORY = join(import.meta.dirname, '../../../test/vectors');

interface Case {
  readonly id: string;
  readonly op: string;
  readonly sensor: McpSensor;
  readonly query: {
    readonly side: 'client' | 'server';
    readonly kind: 'tool' | 'resource' | 'prompt';
    readonly server?: string;
    readonly name: string;
    readonly part?: 'arguments' | 'responses' | undefined;
    readonly value?: JsonValue;
  };
  readonly expect: { readonly action: string; readonly rule?: string; readonly value?: JsonValue };
}

function read(name: string): { readonly policy: Policy; readonly cases: readonly Case[] } {
  const file: { policy: Policy; cases: Case[] } = JSON.parse(readFileSync(join(DIRECTORY, `${name}.json`), 'utf8'));
  return file;
}

const METHODS = { tool: 'tools/call', resource: 'resources/read', prompt: 'prompts/get' } as const;

/** The rules of one side of one sensor, as those of the gateway. */
function asGateway(policy: Policy, { sensor, query }: Case): Policy {
  const { enable, remediate, mcp } = policy[sensor] ?? {};
  const gateway = {
    ...(enable === undefined ? {} : { enable }),
    ...(remediate === undefined ? {} : { remediate }),
    ...(mcp === undefined ? {} : { mcp: { ...mcp, server: mcp[query.side] } }),
  };
  return { policy_id: 'p', version: 1, ...(policy[sensor] === undefined ? {} : { gateway }) };
}

/** What passed of the message in question, parsed where it changed, and the rules that were told of. */
interface Outcome {
  readonly passed: string;
  readonly rules: readonly string[];
}

function question({ query }: Case, value: JsonValue | undefined): string {
  const { kind, name, part } = query;
  if (part === 'responses') return line({ id: 1, result: value ?? null });
  const named: JsonObject = kind === 'resource' ? { uri: name } : { name };
  return line({
    id: 1,
    method: METHODS[kind],
    params: part === undefined ? named : { ...named, arguments: value ?? null },
  });
}

async function converse(policy: Policy, one: Case): Promise<Outcome> {
  const { query } = one;
  const scene = new GatewayScene();
  await scene.gateway.update(compileSensorPolicy(policy, { policy_id: 'p', version: 1, digest: 'd', generation: 1 }));
  await scene.clientSays(line({ id: 0, method: 'initialize' }));
  await scene.serverSays(line({ id: 0, result: { serverInfo: { name: query.server ?? '' } } }));
  let passed: string;
  if (query.part === 'responses') {
    await scene.clientSays(question({ ...one, query: { ...query, part: undefined } }, undefined));
    passed = (await scene.serverSays(question(one, query.value))).client;
  } else {
    passed = (await scene.clientSays(question(one, query.value))).server;
  }
  const events = await scene.events();
  return { passed, rules: events.flatMap(({ violation }) => (violation === undefined ? [] : [violation.rule])) };
}

const REFUSAL: unknown = expect.stringContaining('-32010');

function expected(one: Case): object {
  const { action, rule, value } = one.expect;
  const blocked = one.query.part === 'responses' ? REFUSAL : '';
  const rules = rule === undefined ? [] : [rule.replace(/^\/\w+\/mcp\/(?:client|server)/, '/gateway/mcp/server')];
  return {
    passed: action === 'blocked' ? blocked : question(one, action === 'redacted' ? value : one.query.value),
    rules,
  };
}

/** A result is an object, a resource has no arguments, and a server has a name once it has been introduced. */
function fits({ op, query }: Case): boolean {
  if (op !== 'name' && op !== 'content') return false;
  if (query.server === undefined) return false;
  if (query.part === 'arguments') return query.kind !== 'resource';
  return (
    query.part === undefined || (typeof query.value === 'object' && query.value !== null && !Array.isArray(query.value))
  );
}

describe.each(['mcp-names', 'mcp-content'])('%s', (name) => {
  const { policy, cases } = read(name);
  test.each(cases.filter(fits).map((one) => [one.id, one] as const))('%s', async (_, one) => {
    expect(await converse(asGateway(policy, one), one)).toEqual(expected(one));
  });
});
