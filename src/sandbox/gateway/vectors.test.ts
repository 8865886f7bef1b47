import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import {
  type Case,
  casesOf,
  expected,
  type Outcome,
  question,
  ruleHere,
  rulesIn,
  unaskableOf,
} from './testing-vectors.ts';
import { call, GatewayScene, line } from './testing.ts';

const LISTS = {
  tool: { method: 'tools/list', key: 'tools', named: 'name' },
  resource: { method: 'resources/list', key: 'resources', named: 'uri' },
  prompt: { method: 'prompts/list', key: 'prompts', named: 'name' },
};

/** A conversation under the policy with the server in question, or with one that has not said its name. */
async function introduced(file: SensorPolicyFile, { query }: Case): Promise<GatewayScene> {
  const scene = new GatewayScene();
  await scene.gateway.update(file);
  if (query.server === undefined) return scene;
  await scene.clientSays(line({ id: 0, method: 'initialize' }));
  await scene.serverSays(line({ id: 0, result: { serverInfo: { name: query.server } } }));
  return scene;
}

async function converse(file: SensorPolicyFile, one: Case): Promise<Outcome> {
  const { query } = one;
  const scene = await introduced(file, one);
  let passed: string;
  if (query.part === 'responses') {
    await scene.clientSays(question({ ...one, query: { ...query, part: undefined } }, undefined));
    passed = (await scene.serverSays(question(one, query.value))).client;
  } else {
    passed = (await scene.clientSays(question(one, query.value))).server;
  }
  return { passed, rules: rulesIn(await scene.events()) };
}

/** What the client gets of a list with these entries. */
async function list(
  scene: GatewayScene,
  kind: keyof typeof LISTS,
  entries: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const { method, key } = LISTS[kind];
  await scene.clientSays(line({ id: 'list', method }));
  const { client } = await scene.serverSays(line({ id: 'list', result: { [key]: entries } }));
  const { result } = JSON.parse(client) as { result: Record<string, JsonObject[]> };
  return result[key] ?? [];
}

describe.each([
  ['mcp-names', 'name'],
  ['mcp-content', 'content'],
])('%s', (name, op) => {
  test.each(casesOf(name, op))('%s', async (_, one, file) => {
    expect(await converse(file, one)).toEqual(expected(one));
  });
});

test.each(casesOf('mcp-names', 'list'))('the list of %s', async (_, one, file) => {
  const { kind, names = [] } = one.query;
  const { named } = LISTS[kind];
  const scene = await introduced(file, one);
  const shown = await list(
    scene,
    kind,
    names.map((name) => ({ [named]: name })),
  );
  expect(shown.map((entry) => entry[named])).toEqual(one.expect.shown);
  expect(rulesIn(await scene.events())).toEqual(one.expect.violations?.map(({ rule }) => ruleHere(rule)));
});

test.each(casesOf('mcp-pins', 'change'))('%s', async (_, one, file) => {
  const { name, listed = [] } = one.query;
  const scene = await introduced(file, one);
  for (const tool of listed) await list(scene, 'tool', [tool]);
  const { server, client } = await scene.clientSays(call('c', name));
  const events = await scene.events();
  const changes = events.filter((event) => event.name === 'tool_definition_changed');
  const news = one.expect.told?.flatMap((change) => (change === null || change.told ? [] : [change])) ?? [];
  expect(changes.map(({ body }): JsonValue => [body['pinned'] ?? '', body['now'] ?? ''])).toEqual(
    news.map(({ pinned, now }) => [pinned, now]),
  );
  const { rule, action } = one.expect;
  const refused: unknown = expect.stringContaining(ruleHere(rule ?? ''));
  expect([server, client]).toEqual(action === 'blocked' ? ['', refused] : [call('c', name), '']);
});

test('what messages can not ask for is left out, and nothing else', () => {
  expect(['mcp-names', 'mcp-content', 'mcp-pins'].map((name) => unaskableOf(name))).toEqual([
    { 'a server has a name once it has been introduced': ['mcp-names-060', 'mcp-names-061'] },
    { 'a resource has no arguments': ['mcp-content-073'] },
    {},
  ]);
});
