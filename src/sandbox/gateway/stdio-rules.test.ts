import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../core/json.ts';
import { call, type GatewayScene, line, sceneUnder } from './testing.ts';

async function introduced(mcp: Parameters<typeof sceneUnder>[0], name = 'files'): Promise<GatewayScene> {
  const made = await sceneUnder(mcp);
  await made.clientSays(line({ id: 0, method: 'initialize' }));
  await made.serverSays(line({ id: 0, result: { serverInfo: { name } } }));
  return made;
}

describe('the server’s name', () => {
  const rules = { server: { tools: { files: { deny_list: ['danger'] }, '*': { deny_list: ['other'] } } } };

  test('chooses the rules', async () => {
    const files = await introduced(rules);
    expect((await files.clientSays(call(1, 'danger'))).server).toBe('');
    expect((await files.clientSays(call(2, 'other'))).server).not.toBe('');
    const another = await introduced(rules, 'another');
    expect((await another.clientSays(call(1, 'danger'))).server).not.toBe('');
    expect((await another.clientSays(call(2, 'other'))).server).toBe('');
  });

  test('is taken from discovery, and from the stamp on a result', async () => {
    const one = await sceneUnder(rules);
    await one.clientSays(line({ id: 1, method: 'tools/list' }));
    const stamped = {
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'another' } },
      tools: [{ name: 'danger' }],
    };
    expect((await one.serverSays(line({ id: 1, result: stamped }))).client).toContain('danger');
  });

  test('does not change', async () => {
    const one = await introduced(rules);
    await one.clientSays(line({ id: 5, method: 'initialize' }));
    await one.serverSays(line({ id: 5, result: { serverInfo: { name: 'another' } } }));
    expect((await one.clientSays(call(1, 'danger'))).server).toBe('');
  });

  test('unknown: the rules of all servers hold', async () => {
    const one = await sceneUnder(rules);
    expect((await one.clientSays(call(1, 'danger') + call(2, 'other'))).server).toBe('');
  });
});

describe('patterns', () => {
  const deny = [{ name: 'key', regex: 'k-[0-9]+' }];
  const asked = line({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'my k-123', n: 1 } } });
  const answered = line({ id: 1, result: { content: [{ type: 'text', text: 'its k-45' }] } });

  test('block arguments and results', async () => {
    const one = await introduced({ server: { tools: { '*': { arguments: { deny } } } } });
    expect((await one.clientSays(asked)).server).toBe('');
    const two = await introduced({ server: { tools: { '*': { responses: { deny } } } } });
    expect((await two.clientSays(asked)).server).toBe(asked);
    expect(JSON.parse((await two.serverSays(answered)).client)).toMatchObject({ id: 1, error: { code: -32010 } });
  });

  test('redact arguments and results', async () => {
    const patterns = { deny, action: 'redact' } as const;
    const one = await introduced({ server: { tools: { '*': { arguments: patterns, responses: patterns } } } });
    expect(JSON.parse((await one.clientSays(asked)).server)).toMatchObject({
      params: { arguments: { text: 'my [redacted:key]', n: 1 } },
    });
    expect((await one.serverSays(answered)).client).toContain('its [redacted:key]');
  });

  test('look at the result of a task, too', async () => {
    const one = await introduced({ server: { tools: { '*': { responses: { deny } } } } });
    await one.clientSays(asked);
    await one.serverSays(line({ id: 1, result: { task: { taskId: 't' } } }));
    await one.clientSays(line({ id: 2, method: 'tasks/result', params: { taskId: 't' } }));
    expect((await one.serverSays(line({ id: 2, result: { content: 'k-1' } }))).client).toContain('-32010');
  });
});

test('a tool that is not what it was when it was listed first is told of, once', async () => {
  const one = await introduced({ server: { tools: { '*': { deny_list: ['danger'] } } } });
  const list = async (id: number, description: string): Promise<void> => {
    await one.clientSays(line({ id, method: 'tools/list' }));
    await one.serverSays(line({ id, result: { tools: [{ name: 'echo', description, _meta: { at: id } }] } }));
  };
  for (const [id, description] of ['echoes', 'echoes', 'sends all you have', 'sends all you have', 'echoes'].entries())
    await list(id, description);
  const told = (await one.events()).filter(({ name }) => name === 'tool_definition_changed');
  expect(told).toMatchObject([
    { severity: 'WARN', scope: 'gateway', attributes: { 'gen_ai.tool.name': 'echo', 'mcp.server.name': 'files' } },
  ]);
});

const listen = (notifications: JsonObject, method = 'subscriptions/listen'): string =>
  line({ id: 'l', method, params: { notifications } });

describe('`subscriptions/listen`', () => {
  test('of what is denied never reaches the server', async () => {
    const one = await sceneUnder();
    const heard = await one.clientSays(listen({ resourceSubscriptions: ['mem://open', 'mem://secret'] }));
    const rule = '/gateway/mcp/server/resources/*/deny_list/0';
    expect([heard.server, JSON.parse(heard.client)]).toMatchObject(['', { id: 'l', error: { data: { rule } } }]);
  });

  test('of anything else passes', async () => {
    const one = await sceneUnder();
    const filters: readonly JsonObject[] = [{ toolsListChanged: true }, { resourceSubscriptions: ['mem://open'] }];
    for (const filter of filters) {
      expect((await one.clientSays(listen(filter))).server).toBe(listen(filter));
    }
  });

  test.each([
    listen({ resourceSubscriptions: 'mem://secret' }),
    listen({ resourceSubscriptions: [['mem://secret']] }),
    listen({ ResourceSubscriptions: ['mem://secret'] }),
    listen({ resourceSubscriptions: ['mem://secret'] }, 'Subscriptions/listen'),
  ])('that can not be read is refused: %s', async (said) => {
    const heard = await (await sceneUnder()).clientSays(said);
    expect([heard.server, heard.client]).toEqual(['', expect.stringContaining('"rule":"/gateway/mcp"')]);
  });
});
