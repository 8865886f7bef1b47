import { writeFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/core/json.ts';
import { program, type PackageSet } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { Session } from './helpers/session.ts';

const OFF = { js_sensor: { mcp: {} } };
const ALL = ['echo', 'danger'];

const LIVE: readonly (readonly [PackageSet, readonly string[]])[] = [
  ['v1', ['v1', 'memory']],
  ['v1', ['v1', 'stdio']],
  ['v2', ['v2', 'http']],
];

describe.each(LIVE)('%s %j', (set, args) => {
  test.each(['client', 'server'] as const)(
    'a policy that changes while it runs holds at once on the %s side',
    async (side) => {
      await using session = await Session.start([await program(set, 'live.mjs'), ...args], OFF);
      expect(await session.ask('list')).toEqual(ALL);
      session.replace(denyOn(side));
      const refused = await session.askUntil('call danger', (answer) => answer !== 'DANGER x');
      expect(refused).toMatchObject({ code: -32010 });
      expect(await session.ask('list')).toEqual(['echo']);
      session.replace(OFF);
      await session.askUntil('call danger', (answer) => answer === 'DANGER x');
      expect(await session.ask('list')).toEqual(ALL);
    },
  );
});

test('a resource that a modern client keeps is not served from its cache once it is denied', async () => {
  await using session = await Session.start([await program('v2', 'live.mjs'), 'v2', 'http'], OFF);
  expect(await session.ask('read mem://secret')).toBe('secret');
  session.replace(denyOn('client'));
  await session.askUntil('call danger', (answer) => answer !== 'DANGER x');
  expect(await session.ask('read mem://secret')).toMatchObject({ code: -32010 });
  expect(await session.ask('read mem://open')).toBe('open');
});

test('the program hears that its lists have changed', async () => {
  await using session = await Session.start([await program('v1', 'live.mjs'), 'v1', 'memory'], OFF);
  session.replace(denyOn('client'));
  await session.askUntil('list', (answer) => JSON.stringify(answer) === '["echo"]');
  expect(session.said).not.toEqual([]);
});

test('a torn policy file changes nothing, is told, and the next good one holds', async () => {
  await using session = await Session.start([await program('v1', 'live.mjs'), 'v1', 'memory'], denyOn('client'));
  expect(await session.ask('list')).toEqual(['echo']);
  writeFileSync(session.policyFile, '{"format":1,"generation":2,"poli');
  await session.collector.until((lines) => lines.some((line) => line.name === 'sensor_error'));
  expect(session.collector.named('sensor_error')[0]?.body).toMatchObject({ where: 'policy' });
  expect(await session.ask('list')).toEqual(['echo']);
  session.replace(OFF);
  await session.askUntil('list', (answer) => JSON.stringify(answer) === JSON.stringify(ALL));
});

test('a policy that is replaced a thousand times during calls: every answer is one of the two', async () => {
  await using session = await Session.start([await program('v1', 'live.mjs'), 'v1', 'memory'], OFF);
  const answers = new Set<string>();
  for (let round = 0; round < 1000; round++) {
    session.replace(round % 2 === 0 ? denyOn('client') : OFF);
    if (round % 10 === 0) answers.add(JSON.stringify(await session.ask('list')));
  }
  expect([...answers].filter((answer) => answer !== '["echo"]' && answer !== JSON.stringify(ALL))).toEqual([]);
  await session.askUntil('list', (answer) => JSON.stringify(answer) === JSON.stringify(ALL));
  expect(session.collector.named('sensor_error')).toEqual([]);
});

const only = (side: string, rules: JsonObject): JsonObject => ({
  client: { enable: false },
  server: { enable: false },
  [side]: rules,
});

/** Packages, arguments and the command that lists past caches; the last: each request has a server of its own. */
const PINNED: readonly (readonly [PackageSet, readonly string[], string])[] = [
  ['v1', ['v1', 'memory'], 'list'],
  ['v2', ['v2', 'http'], 'fresh'],
];

describe.each(PINNED)('%s %j: a tool whose definition changes after it was listed', (set, args, list) => {
  const sides = ['client', 'server'] as const;
  test.each(sides)('is told, once, on the %s side', async (side) => {
    const policy = { js_sensor: { mcp: only(side, {}) } };
    await using session = await Session.start([await program(set, 'live.mjs'), ...args], policy);
    await session.ask(list);
    await session.ask('describe another');
    for (let again = 0; again < 2; again++) expect(await session.ask(list)).toEqual(ALL);
    expect(await session.ask('call echo')).toBe('x');
    await session.collector.until((lines) => lines.some((line) => line.name === 'mcp_tool_call'));
    const changes = session.collector.named('tool_definition_changed');
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ severity: 'WARN', attributes: { 'gen_ai.tool.name': 'echo' } });
    expect(changes[0]?.violation).toBeUndefined();
    expect(changes[0]?.body['pinned']).not.toBe(changes[0]?.body['now']);
  });

  test.each(sides)('is neither listed nor callable where it is pinned on the %s side', async (side) => {
    const policy = { js_sensor: { remediate: true, mcp: only(side, { pin_tools: true }) } };
    await using session = await Session.start([await program(set, 'live.mjs'), ...args], policy);
    expect(await session.ask(list)).toEqual(ALL);
    expect(await session.ask('call echo')).toBe('x');
    await session.ask('describe another');
    expect(await session.ask(list)).toEqual(['danger']);
    expect(await session.ask('call echo')).toMatchObject({
      code: -32010,
      data: { rule: `/js_sensor/mcp/${side}/pin_tools` },
    });
    expect(await session.ask('call danger')).toBe('DANGER x');
    await session.ask('describe says it again');
    await session.collector.until((lines) => lines.some((line) => line.name === 'mcp_violation'));
    expect(session.collector.named('tool_definition_changed').map((line) => line.violation?.action)).toEqual([
      'blocked',
    ]);
    expect(session.collector.named('mcp_violation').map((line) => line.violation?.rule)).toEqual([
      `/js_sensor/mcp/${side}/pin_tools`,
    ]);
  });
});
