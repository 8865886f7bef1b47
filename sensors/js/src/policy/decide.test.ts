import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SensorPolicyFile } from '../../../../src/core/sensor-protocol.ts';
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
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly server?: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly listed: readonly WireObject[];
  readonly part: 'arguments' | 'responses';
  readonly value: unknown;
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
  http: (decider, { url, transport, authenticated }) => said(decider.connection({ url, transport, authenticated })),
  stdio: (decider, { command, args }) => said(decider.connection({ transport: 'stdio', command, args })),
};

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(VECTORS, path), 'utf8'));
}

describe.each(['mcp-names', 'mcp-content', 'mcp-servers', 'mcp-pins'])('the shared vectors %s', (name) => {
  const decider = deciderOf(read(`compiled/${name}.json`) as SensorPolicyFile);
  const cases = (read(`${name}.json`) as { cases: readonly Case[] }).cases.filter((one) => one.sensor === 'js_sensor');

  test.each(cases.map((one) => [one.id, one.op, one] as const))('%s %s', (_, op, { query, expect: expected }) => {
    expect(expected).toMatchObject(ANSWERS[op]?.(decider, query) ?? {});
    expect(ANSWERS).toHaveProperty(op);
  });
});
