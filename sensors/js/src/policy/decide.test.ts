import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SensorPolicyFile } from '../../../../src/core/sensor-protocol.ts';
import { judgeInputRequests, judgeMethod, judgeParameters } from '../../../../src/policy/mcp/method-rules.ts';
import type { Conversation, Refusal } from '../mcp/conversation.ts';
import { methodCourt } from '../mcp/methods.ts';
import { toolPins } from '../mcp/pins.ts';
import type { WireObject } from '../mcp/wire.ts';
import { deciderOf } from './decide.ts';
import type { Decider, Finding, Known, Side } from './decider.ts';

/** Questions and answers that every sensor, in whatever language, must agree on. */
const VECTORS = join(import.meta.dirname, '../../../../test/vectors');

interface Expected {
  readonly rule?: string;
  readonly action?: string;
  readonly value?: unknown;
  readonly shown?: readonly string[];
  readonly told?: readonly unknown[];
}

interface Query {
  readonly side: Side;
  readonly kind: 'tool' | 'resource' | 'prompt' | 'method';
  readonly server?: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly listed: readonly WireObject[];
  readonly part: 'arguments' | 'responses';
  readonly value: unknown;
  readonly method: string;
  readonly params?: unknown;
  readonly result?: WireObject;
  readonly url: string;
  readonly transport: 'http' | 'sse';
  readonly authenticated: boolean;
  readonly command: string;
  readonly args: readonly string[];
}

interface Case {
  readonly id: string;
  readonly op: string;
  readonly sensor?: string;
  readonly query: Query;
  readonly expect: Expected;
}

function about(decider: Decider, query: Query, name = query.name): Known {
  return decider.about(query.side, `${query.kind}s`, query.server, name);
}

const said = (finding: Finding | undefined): Expected => ({
  action: finding?.action ?? 'allowed',
  ...(finding === undefined ? {} : { rule: finding.rule }),
});

/** Which rules a message breaks, and what of it passes on. */
function judged(decider: Decider, { side, server, method, params, result }: Query): Expected {
  const told: string[] = [];
  const conversation = {
    identity: { name: server },
    found: (_method: string, _target: unknown, { rule, action }: Finding): Refusal | undefined => {
      told.push(rule);
      return action === 'blocked' ? ({} as Refusal) : undefined;
    },
  } as unknown as Conversation;
  const court = methodCourt(conversation, decider, side);
  if (court === undefined) throw new Error('expected rules on methods');
  if (result === undefined) {
    const { refusal, value } = judgeParameters(court, method, params);
    return { value: refusal === undefined ? (value ?? params) : null, told };
  }
  const own = judgeMethod(court, method, 'responses', result);
  if (own.refusal !== undefined) return { value: null, told };
  const { refusal, value } = judgeInputRequests(court, method, own.value ?? result);
  return { value: refusal === undefined ? (value ?? own.value ?? result) : null, told };
}

const ANSWERS: Readonly<Record<string, (decider: Decider, query: Query) => Expected>> = {
  name: (decider, query) => said(about(decider, query).finding),
  list: (decider, query) => ({
    shown: query.names.filter((name) => about(decider, query, name).finding?.action !== 'blocked'),
  }),
  content: (decider, query) => {
    const { target, inspects } = about(decider, query);
    const verdict = decider.content(target, query.part, query.value);
    expect(verdict.findings.length === 0 || inspects[query.part]).toBe(true);
    return { ...said(verdict.findings[0]), value: verdict.redacted ?? query.value };
  },
  change: (decider, query) => {
    const pins = toolPins();
    const told = query.listed.map((tool) => pins.check(query.name, tool) ?? null);
    const { target, finding } = about(decider, query);
    return { ...said(finding ?? (pins.changed(query.name) ? decider.changed(target) : undefined)), told };
  },
  request: judged,
  result: judged,
  http: (decider, { url, transport, authenticated }) => said(decider.connection({ url, transport, authenticated })),
  stdio: (decider, { command, args }) => said(decider.connection({ transport: 'stdio', command, args })),
};

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(VECTORS, path), 'utf8'));
}

describe.each(['mcp-names', 'mcp-content', 'mcp-servers', 'mcp-pins', 'mcp-methods'])(
  'the shared vectors %s',
  (name) => {
    const decider = deciderOf(read(`compiled/${name}.json`) as SensorPolicyFile);
    const cases = (read(`${name}.json`) as { cases: readonly Case[] }).cases.filter(
      (one) => one.sensor === 'js_sensor',
    );

    test.each(cases.map((one) => [one.id, one.op, one] as const))('%s %s', (_, op, { query, expect: expected }) => {
      expect(expected).toMatchObject(ANSWERS[op]?.(decider, query) ?? {});
      expect(ANSWERS).toHaveProperty(op);
    });
  },
);
