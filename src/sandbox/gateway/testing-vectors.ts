import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SensorLine, SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { McpSensor } from '../../policy/decide/mcp-rules.ts';
import type { Policy } from '../../policy/schema/policy.ts';
import { compileSensorPolicy } from '../../policy/sensor-file/compile.ts';
import { line } from './testing.ts';

const DIRECTORY = join(import.meta.dirname, '../../../test/vectors');

export interface Case {
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

/** The decisions that every sensor must make the same way, asked of the gateway as messages. */
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
export interface Outcome {
  readonly passed: string;
  readonly rules: readonly string[];
}

export function question({ query }: Case, value: JsonValue | undefined): string {
  const { kind, name, part } = query;
  if (part === 'responses') return line({ id: 1, result: value ?? null });
  const named: JsonObject = kind === 'resource' ? { uri: name } : { name };
  return line({
    id: 1,
    method: METHODS[kind],
    params: part === undefined ? named : { ...named, arguments: value ?? null },
  });
}

const REFUSAL: unknown = expect.stringContaining('-32010');

export function expected(one: Case): object {
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

/** The decisions of one file that messages can ask for, each by its id. */
export function casesOf(name: string): readonly (readonly [string, Case, SensorPolicyFile])[] {
  const { policy, cases } = read(name);
  const ref = { policy_id: 'p', version: 1, digest: 'd', generation: 1 };
  return cases.filter(fits).map((one) => [one.id, one, compileSensorPolicy(asGateway(policy, one), ref)] as const);
}

/** The rules that were told of. */
export function rulesIn(events: readonly SensorLine[]): readonly string[] {
  return events.flatMap(({ violation }) => (violation === undefined ? [] : [violation.rule]));
}
