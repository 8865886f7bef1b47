import { expect, test } from 'vitest';

import type { JsonObject } from '../../../src/core/json.ts';
import { verifies } from '../helpers/verifies.ts';
import { program, type PackageSet } from './helpers/packages.ts';
import { run } from './helpers/run.ts';
import { Session } from './helpers/session.ts';

const ERAS: readonly (readonly [string, PackageSet, string, readonly string[]])[] = [
  [
    'legacy',
    'v1',
    'sampled accept\n',
    ['client mcp_elicitation', 'client mcp_sampling', 'server mcp_elicitation', 'server mcp_sampling'],
  ],
  ['modern', 'v2', 'answered accept me\n', ['client mcp_elicitation', 'server mcp_elicitation']],
];

for (const [era, set, said, told] of ERAS) {
  verifies(['MCP-08'], `${era}: what a server asks of a client is told on both sides, and answered`, async () => {
    const policy = { js_sensor: { remediate: true, mcp: { client: {}, server: {} } } };
    const ran = await run([await program(set, 'asks.mjs'), era], { policy });
    expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
      code: 0,
      stdout: said,
      stderr: '',
    });
    const asked = ran.lines.filter((line) => line.name === 'mcp_sampling' || line.name === 'mcp_elicitation');
    expect(asked.map((line) => `${line.body['side'] as string} ${line.name}`).toSorted()).toEqual(told);
  });
}

/** Rules on one side alone, and what the program then says. */
const RULES: readonly (readonly [string, PackageSet, JsonObject, string])[] = [
  ['legacy', 'v1', { deny_list: ['sampling/createMessage'] }, 'refused -32010 accept\n'],
  ['legacy', 'v1', { deny_list: ['elicitation/*'] }, 'sampled refused -32010\n'],
  ['legacy', 'v1', { allow_list: ['tools/*', 'elicitation/create'] }, 'refused -32010 accept\n'],
  ['legacy', 'v1', { responses: { deny: [{ name: 'answer', regex: 'sampled' }] } }, 'refused -32010 accept\n'],
  ['legacy', 'v1', { arguments: { deny: [{ name: 'who', regex: 'who' }] } }, 'sampled refused -32010\n'],
  ['modern', 'v2', { deny_list: ['elicitation/create'] }, 'refused -32010\n'],
  ['modern', 'v2', { arguments: { deny: [{ name: 'who', regex: 'who' }] } }, 'refused -32010\n'],
  ['modern', 'v2', { responses: { deny: [{ name: 'name', regex: '^me$' }] } }, 'refused -32010\n'],
  [
    'modern',
    'v2',
    { responses: { deny: [{ name: 'name', regex: '^me$' }], action: 'redact' } },
    'answered accept [redacted:name]\n',
  ],
];

for (const [era, set, rules, said] of RULES) {
  verifies(['MCP-08'], `${era}: ${JSON.stringify(rules)} holds on either side, and the program goes on`, async () => {
    for (const side of ['client', 'server'] as const) {
      const off = { enable: false };
      const mcp = { client: off, server: off, [side]: { methods: { '*': rules } } };
      const ran = await run([await program(set, 'asks.mjs'), era], { policy: { js_sensor: { remediate: true, mcp } } });
      expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
        code: 0,
        stdout: said,
        stderr: '',
      });
      const told = ran.lines.flatMap(({ violation, body }) =>
        violation === undefined ? [] : [{ side: body['side'], rule: violation.rule }],
      );
      expect(told).not.toEqual([]);
      expect(
        told.filter((one) => one.side !== side || !one.rule.startsWith(`/js_sensor/mcp/${side}/methods/*/`)),
      ).toEqual([]);
    }
  });
}

verifies(['MCP-08'], 'in observe mode a denied request is answered, and told', async () => {
  const client = { methods: { '*': { deny_list: ['sampling/createMessage'] } } };
  const policy = { js_sensor: { mcp: { client, server: { enable: false } } } };
  const ran = await run([await program('v1', 'asks.mjs'), 'legacy'], { policy });
  expect(ran.stdout).toBe('sampled accept\n');
  expect(ran.lines.flatMap(({ violation }) => violation?.action ?? [])).toEqual(['allowed']);
});

test('a notification that policy denies does not arrive, an `initialize` always does', async () => {
  const client = { methods: { '*': { deny_list: ['notifications/*', 'initialize', 'ping'] } } };
  const policy = { js_sensor: { remediate: true, mcp: { client } } };
  await using session = await Session.start([await program('v1', 'live.mjs'), 'v1', 'memory'], policy);
  await session.ask('describe another');
  await session.collector.until((lines) => lines.some(({ name }) => name === 'mcp_violation'));
  expect(session.collector.named('mcp_violation')[0]?.attributes).toMatchObject({
    'mcp.method.name': 'notifications/tools/list_changed',
  });
  await session.ask('list');
  expect(session.said).toEqual([]);
});
