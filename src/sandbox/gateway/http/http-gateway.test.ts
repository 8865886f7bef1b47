import type { ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { call, fileOf } from '../testing.ts';
import { event, hear, HttpScene, rpc, toolCall } from './testing.ts';

const LIST = rpc({ id: 1, method: 'tools/list' });
const TOOLS = rpc({ id: 1, result: { tools: [{ name: 'danger' }, { name: 'echo' }], nextCursor: 'x' } });

describe('a denied tool', () => {
  test('is refused with what a model can read, never reaches the server, and is told of', async () => {
    await using scene = await HttpScene.under();
    const { status, body } = await scene.post(toolCall(7, 'danger'));
    expect(scene.reached).toEqual([]);
    const [told] = await scene.events();
    const rule = '/gateway/mcp/server/tools/*/deny_list/0';
    const data = { rule, policy: 'p', event_id: told?.id };
    expect([status, JSON.parse(body)]).toMatchObject([200, { id: 7, error: { code: -32010, data } }]);
    expect(told).toMatchObject({ name: 'mcp_violation', scope: 'gateway', body: { transport: 'http' } });
  });

  test.each([
    ['JSON', 'application/json; charset=utf-8', JSON.stringify(TOOLS)],
    ['an event stream', 'text/event-stream', event(TOOLS)],
    ['a batch', 'application/json', JSON.stringify([TOOLS])],
  ])('vanishes from a list in %s', async (_, type, text) => {
    await using scene = await HttpScene.under();
    scene.answers(text, type);
    const { body } = await scene.post(LIST);
    expect(body).not.toContain('danger');
    expect(body).toContain('{"tools":[{"name":"echo"}],"nextCursor":"x"}');
    expect((await scene.events()).at(-1)).toMatchObject({ name: 'mcp_list', body: { listed: 1, hidden: 1 } });
  });

  test('is taken out of a batch; its refusal stands among the answers', async () => {
    await using scene = await HttpScene.under();
    scene.answers([rpc({ id: 2, result: {} })]);
    const { body } = await scene.post([toolCall(1, 'danger'), toolCall(2, 'echo')]);
    expect(JSON.parse(scene.reached[0] ?? '')).toEqual([toolCall(2, 'echo')]);
    expect(JSON.parse(body)).toMatchObject([
      { id: 1, error: { code: -32010 } },
      { id: 2, result: {} },
    ]);
  });

  test('comes before the stream that answers the rest of its batch', async () => {
    await using scene = await HttpScene.under();
    scene.answers(event(rpc({ id: 2, result: {} })), 'text/event-stream');
    const { body } = await scene.post([toolCall(1, 'danger'), toolCall(2, 'echo')]);
    expect(body).toMatch(/^event: message\ndata: \{.*-32010.*\}\n\nevent: message\ndata: .*"id":2/);
  });

  test('is refused as an event to a client that takes nothing else', async () => {
    await using scene = await HttpScene.under();
    const { headers, body } = await scene.post(toolCall(1, 'danger'), { Accept: 'text/event-stream' });
    expect(headers['content-type']).toBe('text/event-stream');
    expect(body).toMatch(/^event: message\ndata: \{.*-32010/);
  });

  test('is refused without an id, too', async () => {
    await using scene = await HttpScene.under();
    const { status } = await scene.post(rpc({ method: 'tools/call', params: { name: 'danger' } }));
    expect([status, scene.reached]).toEqual([400, []]);
  });
});

describe('what no rule touches', () => {
  const odd = `{ "jsonrpc":"2.0",\r\n "id": 1.0,"method":"tools/call","params":{"name":"e\\u0063ho","arguments":{"n":12345678901234567890}} }`;

  test('passes byte for byte, with its headers', async () => {
    await using scene = await HttpScene.under();
    const answer = '{"jsonrpc":"2.0","id":1,\r\n "result":{"a":1.50}}';
    scene.answers(answer, 'application/json', { 'Mcp-Session-Id': 's1', 'X-Own': 'a' });
    const { body, headers } = await scene.post(odd, {
      'MCP-Protocol-Version': '2025-06-18',
      Authorization: 'Bearer t',
    });
    expect([scene.reached[0], body]).toEqual([odd, answer]);
    expect(headers).toMatchObject({ 'mcp-session-id': 's1', 'x-own': 'a' });
    const [request] = scene.requests;
    expect(request?.headers).toMatchObject({
      'mcp-protocol-version': '2025-06-18',
      authorization: 'Bearer t',
      host: `127.0.0.1:${scene.port}`,
    });
  });

  test('passes event for event, in any chunks', async () => {
    await using scene = await HttpScene.under();
    const stream = `: hello\n\nid: 1\ndata:\n\nretry: 10\n\nevent: message\r\nid: 2\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,"result":{"é":"ü"}}\r\n\r\n`;
    scene.behaviour = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const byte of Buffer.from(stream)) response.write(Buffer.from([byte]));
      response.end();
    };
    expect((await scene.post(toolCall(1, 'echo'))).body).toBe(stream);
  });

  test('passes unread when policy wants no gateway, and changes no byte when it observes', async () => {
    const stray =
      'event: message\ndata: nonsense\n\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"danger"}]}}\r\r';
    for (const [mcp, remediate] of [
      [null, true],
      [undefined, false],
    ] as const) {
      await using scene = await HttpScene.under(mcp, { remediate });
      scene.answers(stray, 'text/event-stream');
      expect((await scene.post(toolCall(1, 'danger'))).body).toBe(stray);
      scene.answers('hello', 'text/plain');
      expect((await scene.post('nonsense', { 'Content-Type': 'text/plain' })).body).toBe('hello');
      expect(scene.reached.at(-1)).toBe('nonsense');
    }
  });
});

test('an old server answers in its stream, and so does the gateway', async () => {
  await using scene = await HttpScene.under();
  let open: ServerResponse | undefined;
  const say = (text: string): void => void open?.write(text);
  scene.behaviour = (request, response) => {
    if (request.method === 'GET') {
      open = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      say('event: endpoint\ndata: /message?sessionId=a\n\n');
    } else response.writeHead(202).end('Accepted');
  };
  const stream = await scene.open('GET', { path: '/sse', headers: { Accept: 'text/event-stream' } });
  const heard: string[] = [];
  stream.setEncoding('utf8').on('data', (text: string) => heard.push(text));
  const until = async (text: string): Promise<void> => {
    await expect.poll(() => heard.join('')).toContain(text);
  };
  await until('/message?sessionId=a');
  expect(await scene.post(LIST, {}, '/message?sessionId=a')).toMatchObject({ status: 202, body: '' });
  say(event(TOOLS));
  await until('"tools":[{"name":"echo"}]');
  expect((await scene.post(toolCall(2, 'danger'), {}, '/message?sessionId=a')).status).toBe(202);
  await until('-32010');
  expect(scene.reached.filter((body) => body.includes('danger'))).toEqual([]);
  stream.destroy();
  expect((await scene.events()).map(({ name, body }) => [name, body['transport']])).toEqual(
    expect.arrayContaining([
      ['mcp_list', 'sse'],
      ['mcp_violation', 'sse'],
    ]),
  );
});

test('a client that comes back gets the answer it missed, judged', async () => {
  const deny = [{ name: 'key', regex: 'k-[0-9]+' }];
  await using scene = await HttpScene.under({ server: { tools: { '*': { responses: { deny } } } } });
  scene.behaviour = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end('id: 1\ndata:\n\n');
  };
  expect((await scene.post(toolCall(5, 'echo'))).body).toBe('id: 1\ndata:\n\n');
  scene.answers(event(rpc({ id: 5, result: { content: 'k-1' } }), '2'), 'text/event-stream');
  const again = await hear(await scene.open('GET', { headers: { 'Last-Event-ID': '1', Accept: 'text/event-stream' } }));
  expect(scene.requests.at(-1)?.headers['last-event-id']).toBe('1');
  expect(again.body).toMatch(/id: 2\ndata: .*"id":5,"error":\{"code":-32010/);
});

test('the first name counts for a path, and chooses the rules of all its sessions', async () => {
  const rules = { server: { tools: { files: { deny_list: ['danger'] }, '*': { deny_list: ['other'] } } } };
  await using scene = await HttpScene.under(rules);
  expect((await scene.post(toolCall(1, 'other'))).body).toContain('-32010');
  for (const name of ['files', 'another']) {
    scene.answers(rpc({ id: 0, result: { serverInfo: { name } } }), 'application/json', { 'Mcp-Session-Id': name });
    await scene.post(rpc({ id: 0, method: 'initialize' }));
    expect((await scene.post(toolCall(1, 'danger'), { 'Mcp-Session-Id': name })).body).toContain('-32010');
    scene.answers(rpc({ id: 2, result: {} }));
    expect((await scene.post(toolCall(2, 'other'))).body).not.toContain('-32010');
  }
  const sessions = (await scene.events()).map(({ attributes }) => attributes?.['mcp.session.id']);
  expect(sessions).toEqual(expect.arrayContaining(['files', 'another', undefined]));
});

test('a policy that comes is in force for streams that are open, and knows the name that was said before', async () => {
  await using scene = await HttpScene.under(null);
  scene.behaviour = (request, response, body) => {
    const serverInfo = { name: body.includes('initialize') ? 'files' : 'another' };
    const text = JSON.stringify(rpc({ id: 1, result: { serverInfo } }));
    if (request.method === 'POST') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length }).end(text);
    } else {
      open = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      open.write(event(TOOLS));
    }
  };
  let open: ServerResponse | undefined;
  await scene.post(rpc({ id: 1, method: 'initialize' }));
  const stream = await scene.open('GET');
  const [first] = (await stream.setEncoding('utf8').take(1).toArray()) as string[];
  expect(first).toContain('danger');
  scene.gateway.update(
    fileOf({ server: { tools: { files: { deny_list: ['danger'] }, '*': { deny_list: ['other'] } } } }),
  );
  const other = await scene.open('GET');
  open?.end(event(TOOLS));
  expect((await hear(other)).body).not.toContain('danger');
  expect((await scene.post(call(1, 'other').trim())).body).not.toContain('-32010');
  expect((await scene.post(toolCall(1, 'danger'))).body).toContain('-32010');
});
