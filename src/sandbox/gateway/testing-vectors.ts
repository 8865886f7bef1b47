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
    /** Of a list: what the server lists. */
    readonly names?: readonly string[];
    /** Of a change: the tool as it is listed each time. */
    readonly listed?: readonly JsonObject[];
  };
  readonly expect: {
    readonly action: string;
    readonly rule?: string;
    readonly value?: JsonValue;
    readonly shown?: readonly string[];
    readonly violations?: readonly { readonly name: string; readonly rule: string }[];
    readonly told?: readonly ({ readonly pinned: string; readonly now: string; readonly told: boolean } | null)[];
  };
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
  const rules = rule === undefined ? [] : [ruleHere(rule)];
  return {
    passed: action === 'blocked' ? blocked : question(one, action === 'redacted' ? value : one.query.value),
    rules,
  };
}

/** A rule of a sensor as the gateway has it. */
export const ruleHere = (rule: string): string => rule.replace(/^\/\w+\/mcp\/(?:client|server)/, '/gateway/mcp/server');

/** Why messages can't ask for a decision; undefined: they can. */
function unaskable({ op, query }: Case): string | undefined {
  if (op === 'change') return undefined;
  // While a server has not said its name, the rules of all of them hold here.
  if (query.server === undefined) return 'a server has a name once it has been introduced';
  if (query.part === 'arguments') return query.kind === 'resource' ? 'a resource has no arguments' : undefined;
  const { value } = query;
  const isResult = typeof value === 'object' && value !== null && !Array.isArray(value);
  return query.part === 'responses' && !isResult ? 'a result is an object' : undefined;
}

/** The decisions of one kind in a file that messages can ask for, each by its id. */
export function casesOf(name: string, op: string): readonly (readonly [string, Case, SensorPolicyFile])[] {
  const { policy, cases } = read(name);
  const ref = { policy_id: 'p', version: 1, digest: 'd', generation: 1 };
  return cases
    .filter((one) => one.op === op && unaskable(one) === undefined)
    .map((one) => [one.id, one, compileSensorPolicy(asGateway(policy, one), ref)] as const);
}

/** Ids of the decisions of a file that messages can't ask for, by the reason. */
export function unaskableOf(name: string): Readonly<Record<string, readonly string[]>> {
  const reasons = read(name).cases.map((one) => [one.id, unaskable(one)] as const);
  const left: Record<string, string[]> = {};
  for (const [id, reason] of reasons) if (reason !== undefined) (left[reason] ??= []).push(id);
  return left;
}

/** The rules that were told of. */
export function rulesIn(events: readonly SensorLine[]): readonly string[] {
  return events.flatMap(({ violation }) => (violation === undefined ? [] : [violation.rule]));
}
