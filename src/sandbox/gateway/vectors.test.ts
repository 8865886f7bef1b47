import { describe, expect, test } from 'vitest';

import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { type Case, casesOf, expected, type Outcome, question, rulesIn } from './testing-vectors.ts';
import { GatewayScene, line } from './testing.ts';

async function converse(file: SensorPolicyFile, one: Case): Promise<Outcome> {
  const { query } = one;
  const scene = new GatewayScene();
  await scene.gateway.update(file);
  await scene.clientSays(line({ id: 0, method: 'initialize' }));
  await scene.serverSays(line({ id: 0, result: { serverInfo: { name: query.server ?? '' } } }));
  let passed: string;
  if (query.part === 'responses') {
    await scene.clientSays(question({ ...one, query: { ...query, part: undefined } }, undefined));
    passed = (await scene.serverSays(question(one, query.value))).client;
  } else {
    passed = (await scene.clientSays(question(one, query.value))).server;
  }
  return { passed, rules: rulesIn(await scene.events()) };
}

describe.each(['mcp-names', 'mcp-content'])('%s', (name) => {
  test.each(casesOf(name))('%s', async (_, one, file) => {
    expect(await converse(file, one)).toEqual(expected(one));
  });
});
