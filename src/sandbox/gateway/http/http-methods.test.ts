import { describe, expect, test, vi } from 'vitest';

import { event, HttpScene, rpc, toolCall } from './testing.ts';

const SAMPLE = rpc({ id: 's', method: 'sampling/createMessage', params: { messages: [] } });
const DONE = rpc({ id: 1, result: { content: [] } });
const DENY_SAMPLING = { server: { methods: { '*': { deny_list: ['sampling/*'] } } } };
const RULE = '/gateway/mcp/server/methods/*/deny_list/0';

/** Answers calls with a stream in which the server asks first, and takes what is posted besides. */
function asking(scene: HttpScene, asked = SAMPLE): void {
  scene.behaviour = (_, response, body) => {
    if (body.includes('"method"')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(event(asked) + event(DONE));
    } else response.writeHead(202).end();
  };
}

describe('a denied method', () => {
  test('of the server never reaches the client; the server gets the refusal in a POST of the session', async () => {
    await using scene = await HttpScene.under(DENY_SAMPLING);
    asking(scene);
    const headers = { 'Mcp-Session-Id': 's1', 'MCP-Protocol-Version': '2025-06-18', Authorization: 'Bearer t' };
    const { body } = await scene.post(toolCall(1, 'echo'), headers);
    expect(body).toBe(event(DONE));
    await vi.waitFor(() => expect(scene.reached).toHaveLength(2), 20_000);
    expect(JSON.parse(scene.reached[1] ?? '')).toMatchObject({
      id: 's',
      error: { code: -32010, data: { rule: RULE } },
    });
    expect(scene.requests[1]?.headers).toMatchObject({
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-06-18',
      authorization: 'Bearer t',
      'content-type': 'application/json',
    });
    expect(await scene.events()).toContainEqual(expect.objectContaining({ name: 'mcp_violation' }));
  });

  test('in an answer of JSON, too', async () => {
    await using scene = await HttpScene.under(DENY_SAMPLING);
    scene.behaviour = (_, response, body) => {
      if (body.includes('"method"')) {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify([SAMPLE, DONE]));
      } else response.writeHead(202).end();
    };
    expect((await scene.post(toolCall(1, 'echo'))).body).toBe(JSON.stringify([DONE]));
    await vi.waitFor(() => expect(scene.reached[1]).toContain('-32010'), 20_000);
  });

  test('does not touch others', async () => {
    await using scene = await HttpScene.under(DENY_SAMPLING);
    const roots = rpc({ id: 'r', method: 'roots/list' });
    asking(scene, roots);
    expect((await scene.post(toolCall(1, 'echo'))).body).toBe(event(roots) + event(DONE));
    expect(scene.reached).toHaveLength(1);
  });

  test('of the client never reaches the server, nor does what it answers inside a retry', async () => {
    await using scene = await HttpScene.under({
      server: { methods: { '*': { deny_list: ['x/*', 'elicitation/*'] } } },
    });
    expect((await scene.post(rpc({ id: 3, method: 'x/y' }))).body).toContain(RULE);
    const inputResponses = { a: { action: 'accept', content: {} } };
    const params = { name: 'echo', inputResponses };
    expect((await scene.post(rpc({ id: 4, method: 'tools/call', params }))).body).toContain('deny_list/1');
    expect(scene.reached).toEqual([]);
    await scene.post(toolCall(5, 'echo'));
    expect(scene.reached).toHaveLength(1);
  });

  test('inside a result: the call is refused', async () => {
    await using scene = await HttpScene.under(DENY_SAMPLING);
    const { id: _, jsonrpc: __, ...request } = SAMPLE;
    scene.answers(rpc({ id: 1, result: { resultType: 'input_required', inputRequests: { a: request } } }));
    expect(JSON.parse((await scene.post(toolCall(1, 'echo'))).body)).toMatchObject({ id: 1, error: { code: -32010 } });
  });
});

test('what the patterns of methods redact, no header says', async () => {
  const redact = { deny: [{ name: 'key', regex: 'k-[0-9]+' }], action: 'redact' as const };
  await using scene = await HttpScene.under({ server: { methods: { '*': { arguments: redact } } } });
  await scene.post(toolCall(1, 'echo', { text: 'k-1' }), { 'Mcp-Param-Text': 'k-1', 'Mcp-Name': 'echo' });
  expect(scene.reached[0]).toContain('[redacted:key]');
  expect(scene.requests[0]?.headers['mcp-param-text']).toBe('[redacted:key]');
  const { body } = await scene.post(toolCall(2, 'k-2'), { 'Mcp-Name': 'k-2' });
  expect(body).toContain('"rule":"/gateway/mcp"');
  expect(scene.reached).toHaveLength(1);
});

/** The list of a server that describes its tool so. */
const list = async (scene: HttpScene, description: string, session?: string): Promise<string> => {
  scene.answers(rpc({ id: 1, result: { tools: [{ name: 'echo', description }] } }));
  const headers: Record<string, string> = session === undefined ? {} : { 'Mcp-Session-Id': session };
  return (await scene.post(rpc({ id: 1, method: 'tools/list' }), headers)).body;
};

describe('pin_tools', () => {
  const PINS = { server: { pin_tools: true } };
  test('without sessions the server’s path is what is pinned', async () => {
    await using scene = await HttpScene.under(PINS);
    expect(await list(scene, 'echoes')).toContain('echo');
    expect(await list(scene, 'sends all')).toContain('"tools":[]');
    expect((await scene.post(toolCall(2, 'echo'))).body).toContain('/gateway/mcp/server/pin_tools');
    expect(await list(scene, 'echoes')).toContain('echo');
    scene.answers(DONE);
    expect((await scene.post(toolCall(1, 'echo'))).body).toBe(JSON.stringify(DONE));
  });

  test('each session pins its own; that another saw something else is told of', async () => {
    await using scene = await HttpScene.under(PINS);
    expect(await list(scene, 'echoes', 'a')).toContain('echo');
    expect(await list(scene, 'sends all', 'b')).toContain('sends all');
    expect(await list(scene, 'sends all', 'a')).toContain('"tools":[]');
    scene.answers(DONE);
    expect((await scene.post(toolCall(1, 'echo'), { 'Mcp-Session-Id': 'b' })).body).toBe(JSON.stringify(DONE));
    expect((await scene.post(toolCall(2, 'echo'), { 'Mcp-Session-Id': 'a' })).body).toContain('pin_tools');
    const changes = (await scene.events()).filter(({ name }) => name === 'tool_definition_changed');
    expect(changes.map(({ violation }) => violation?.action)).toEqual([undefined, 'blocked']);
  });
});
