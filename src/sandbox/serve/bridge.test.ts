import { describe, expect, test } from 'vitest';

import { BridgeScene, events, request, until } from './testing.ts';

const MODERN = { 'MCP-Protocol-Version': '2026-07-28' };
const told = (id: number | string, method: string): object => ({
  jsonrpc: '2.0',
  id,
  ...(method === '' ? { result: {} } : { result: { by: 0, method } }),
});

describe('sessions', () => {
  test('have a server each; what it answers alone is JSON', async () => {
    await using scene = await new BridgeScene().listen();
    const [one, two] = [await scene.initialize(), await scene.initialize()];
    expect(one).not.toEqual(two);
    expect(scene.servers).toHaveLength(2);
    const answer = await scene.post(request('a', 'ping'), two);
    expect([answer.headers.get('content-type'), await answer.json()]).toEqual([
      'application/json',
      { jsonrpc: '2.0', id: 'a', result: { by: 1, method: 'ping' } },
    ]);
    expect((await scene.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, one)).status).toBe(202);
    await until('heard', () => scene.servers[0]?.heard.length === 2);
    await fetch(scene.url, { method: 'DELETE', headers: one });
    expect((await scene.post(request(1, 'ping'), one)).status).toBe(404);
    expect((await scene.post(request(1, 'ping'), two)).status).toBe(200);
  });

  test('pass bytes as they are, on one line', async () => {
    await using scene = await new BridgeScene().listen();
    const session = await scene.initialize();
    const body = '{"jsonrpc":"2.0",\r\n "id":12345678901234567890,\n "method":"ping", "params":{"x":1.0e0}}';
    const answer = await scene.post(body, session);
    expect(scene.servers[0]?.lines.at(-1)).toBe(body.replaceAll(/[\r\n]/g, ' '));
    expect(await answer.text()).toContain('"id":12345678901234567');
  });

  test('are refused what is no message, no session or two readings', async () => {
    await using scene = await new BridgeScene().listen();
    const session = await scene.initialize();
    const status = async (message: unknown, headers = {}): Promise<number> =>
      (await scene.post(message, headers)).status;
    expect(await status('{"jsonrpc":"2.0"', session)).toBe(400);
    expect(await status('[]', session)).toBe(400);
    expect(await status('{"id":1,"method":"ping"}', session)).toBe(400);
    expect(await status(request(1, 'ping'))).toBe(400);
    expect(await status(request(1, 'ping'), { 'Mcp-Session-Id': 'none' })).toBe(404);
    expect(await status(request(1, 'ping'), { ...session, 'Mcp-Method': 'tools/call' })).toBe(400);
    expect(await status(request(1, 'ping'), { ...session, 'Content-Type': 'text/plain' })).toBe(415);
    expect((await fetch(scene.url)).status).toBe(405);
    expect((await fetch(scene.url.replace('/mcp', '/other'))).status).toBe(404);
    expect((await fetch(scene.url, { headers: { ...session, Origin: 'https://evil.example' } })).status).toBe(403);
    expect(scene.servers).toHaveLength(1);
  });

  test('hear what the server says unasked, and get what they missed', async () => {
    await using scene = await new BridgeScene().listen();
    const session = await scene.initialize();
    const [server] = scene.servers;
    const first = await fetch(scene.url, { headers: { ...session, Accept: 'text/event-stream' } });
    expect((await fetch(scene.url, { headers: session })).status).toBe(409);
    for (const n of [1, 2, 3]) server?.say({ method: 'notifications/message', params: { n } });
    const heard = await events(first, 1);
    expect(heard[0]).toMatchObject({ data: { params: { n: 1 } } });
    const last = { 'Last-Event-ID': heard[0]?.id ?? '' };
    const rest = await events(await fetch(scene.url, { headers: { ...session, ...last } }), 2);
    expect(rest.map(({ data }) => data)).toMatchObject([{ params: { n: 2 } }, { params: { n: 3 } }]);
  });

  test('get the answer to a request whose stream broke off, by its last event', async () => {
    await using scene = await new BridgeScene((message, server) => {
      if (message['method'] === 'initialize') server.say({ id: message['id'], result: {} });
      if (message['method'] !== 'tools/call') return;
      server.say({ method: 'notifications/progress', params: { progressToken: 't', progress: 1 } });
    }).listen();
    const session = await scene.initialize();
    const call = request(5, 'tools/call', { _meta: { progressToken: 't' } });
    const [progress] = await events(await scene.post(call, session), 1);
    expect(progress?.data).toMatchObject({ method: 'notifications/progress' });
    scene.servers[0]?.say({ id: 5, result: { late: true } });
    const headers = { ...session, 'Last-Event-ID': progress?.id ?? '' };
    const back = await fetch(scene.url, { headers });
    expect(await events(back, 9)).toMatchObject([{ data: { id: 5, result: { late: true } } }]);
    // The request was not cancelled: in this era that takes a notification.
    expect(scene.servers[0]?.heard.map(({ method }) => method)).not.toContain('notifications/cancelled');
  });

  test('answer what the server asks, on the stream of their request where none listens', async () => {
    await using scene = await new BridgeScene((message, server) => {
      if (message['method'] === 'initialize') server.say({ id: message['id'], result: {} });
      else if (message['method'] === 'tools/call')
        server.say({ id: 'q', method: 'sampling/createMessage', params: {} });
      else if (message['id'] === 'q') server.say({ id: 7, result: message['result'] });
    }).listen();
    const session = await scene.initialize();
    const streaming = await scene.post(request(7, 'tools/call'), session);
    expect((await scene.post({ jsonrpc: '2.0', id: 'q', result: { text: 'sampled' } }, session)).status).toBe(202);
    expect((await events(streaming, 9)).map(({ data }) => data)).toMatchObject([
      { method: 'sampling/createMessage' },
      { id: 7, result: { text: 'sampled' } },
    ]);
  });

  test('may send batches, and never an id twice at once', async () => {
    await using scene = await new BridgeScene((message, server) => {
      if (Array.isArray(message)) {
        server.stdout.write(`[${JSON.stringify(told(1, ''))},${JSON.stringify(told(2, ''))}]\n`);
      } else if (message['method'] === 'initialize') server.say({ id: message['id'], result: {} });
    }).listen();
    const session = await scene.initialize();
    const batch = [request(1, 'ping'), request(2, 'ping'), { jsonrpc: '2.0', method: 'notifications/x' }];
    const answers = await events(await scene.post(batch, session), 9);
    expect(answers.map(({ data }) => data)).toEqual([told(1, ''), told(2, '')]);
    const waiting = scene.post(request(3, 'slow'), session);
    await until('it waits', () => scene.servers[0]?.heard.length === 3);
    expect((await scene.post(request(3, 'slow'), session)).status).toBe(400);
    scene.servers[0]?.say({ id: 3, result: {} });
    expect((await waiting).status).toBe(200);
  });

  test('end with an error for who waits when the server ends; its noise is kept off them', async () => {
    await using scene = await new BridgeScene((message, server) => {
      if (message['method'] === 'initialize') server.say({ id: message['id'], result: {} });
      else {
        server.stdout.write('Listening on stdio\n');
        server.end('The server ended with exit code 3.');
      }
    }).listen();
    const session = await scene.initialize();
    const answer = await scene.post(request(9, 'ping'), session);
    expect(await answer.json()).toMatchObject({ id: 9, error: { message: 'The server ended with exit code 3.' } });
    expect(scene.notes).toEqual([expect.stringContaining('Listening on stdio')]);
    await until('gone', () => scene.servers[0]?.stdout.readableEnded === true);
    expect((await scene.post(request(9, 'ping'), session)).status).toBe(404);
  });

  test('that read nothing hold their server back, not the memory', async () => {
    const big = 'x'.repeat(1024 * 1024);
    await using scene = await new BridgeScene((message, server) => {
      if (message['method'] === 'initialize') server.say({ id: message['id'], result: {} });
    }).listen();
    const session = await scene.initialize();
    const listening = await fetch(scene.url, { headers: session });
    const [server] = scene.servers;
    let written = 0;
    while (server?.stdout.writableNeedDrain === false && written < 64) {
      server.say({ method: 'notifications/message', params: { big } });
      written += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(written).toBeLessThan(64);
    expect(await events(listening, written)).toHaveLength(written);
  });
});

describe('requests without a session', () => {
  test('take turns on servers that they share, one at a time', async () => {
    await using scene = await new BridgeScene((message, server, number) => {
      if (message['method'] === 'fast') server.say({ id: message['id'], result: { by: number } });
    }).listen();
    const ask = async (id: number, method: string): Promise<Response> => scene.post(request(id, method), MODERN);
    expect(await (await ask(1, 'fast')).json()).toMatchObject({ result: { by: 0 } });
    expect(await (await ask(1, 'fast')).json()).toMatchObject({ result: { by: 0 } });
    const slow = ask(1, 'slow');
    await until('it waits', () => scene.servers[0]?.heard.length === 3);
    // The same id again: on another server, since the first is taken.
    expect(await (await ask(1, 'fast')).json()).toMatchObject({ result: { by: 1 } });
    scene.servers[0]?.say({ method: 'notifications/message', params: { for: 'who waits' } });
    scene.servers[0]?.say({ id: 1, result: { by: 0 } });
    expect((await events(await slow, 9)).map(({ data }) => data)).toMatchObject([
      { params: { for: 'who waits' } },
      { result: { by: 0 } },
    ]);
    expect(scene.servers).toHaveLength(2);
  });

  test('say their era in the message, too', async () => {
    await using scene = await new BridgeScene().listen();
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect((await scene.post(request(1, 'tools/list', { _meta }))).status).toBe(200);
    expect((await scene.post(request(1, 'tools/list'))).status).toBe(400);
  });

  test('are cancelled by a client that goes', async () => {
    await using scene = await new BridgeScene((message, server) => {
      if (message['method'] === 'notifications/cancelled')
        server.say({ id: 4, error: { code: 0, message: 'cancelled' } });
    }).listen();
    const going = new AbortController();
    const asked = scene.post(request(4, 'slow'), MODERN, going.signal);
    await until('it waits', () => scene.servers[0]?.heard.length === 1);
    going.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    await until('cancelled', () => scene.servers[0]?.heard.length === 2);
    expect(scene.servers[0]?.heard[1]).toMatchObject({ params: { requestId: 4 } });
  });
});
