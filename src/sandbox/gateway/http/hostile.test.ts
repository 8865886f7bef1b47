import { describe, expect, test } from 'vitest';

import { event, hear, HttpScene, rpc, toolCall } from './testing.ts';

const LIST = rpc({ id: 1, method: 'tools/list' });
const TOOLS = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"danger"}]}}';
const UNJUDGED = { error: { code: -32010, data: { rule: '/gateway/mcp' } } };

describe('what a client sends and nobody can judge is refused', () => {
  const danger = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"danger"}}';

  test.each([
    ['equal keys', danger.replace('{"name"', '{"name":"echo","name"'), {}, 200],
    ['a key in other letters', danger.replace('"name"', '"Name"'), {}, 200],
    ['no JSON', 'hello', {}, 400],
    ['no message', '{"name":"danger"}', {}, 400],
    ['no UTF-8', Buffer.from([...Buffer.from('{"jsonrpc":"2.0","method":"'), 0xff, 0x22, 0x7d]), {}, 400],
    ['UTF-16', Buffer.from(danger, 'utf16le'), {}, 400],
    ['a mark before it', `\ufeff${danger}`, {}, 400],
    ['another type', danger, { 'Content-Type': 'text/plain' }, 415],
    ['another charset', danger, { 'Content-Type': 'application/json; charset=utf-7' }, 415],
    ['a compressed body', danger, { 'Content-Encoding': 'gzip' }, 415],
    ['another method in the header', danger, { 'Mcp-Method': 'ping' }, 400],
    ['another name in the header', danger.replace('danger', 'echo'), { 'Mcp-Name': 'danger' }, 400],
    ['another name in base64', danger.replace('danger', 'echo'), { 'Mcp-Name': '=?base64?ZGFuZ2Vy?=' }, 400],
  ])('%s', async (_, body, headers, status) => {
    await using scene = await HttpScene.under();
    const heard = await scene.post(body, headers);
    expect([heard.status, scene.reached]).toEqual([status, []]);
    const mismatch = Object.keys(headers).some((name) => name.startsWith('Mcp-'));
    const { data } = UNJUDGED.error;
    expect(JSON.parse(heard.body)).toMatchObject(mismatch ? { error: { code: -32020, data } } : UNJUDGED);
    expect((await scene.events()).map(({ violation }) => violation?.rule)).toEqual(['/gateway/mcp']);
  });

  test('a message that is too long', async () => {
    await using scene = await HttpScene.under();
    const { status } = await scene.post(JSON.stringify(toolCall(1, 'echo', { text: 'x'.repeat(65 * 1024 * 1024) })));
    expect([status, scene.reached]).toEqual([413, []]);
  });

  test('a method that the protocol has no use for', async () => {
    await using scene = await HttpScene.under();
    expect((await hear(await scene.open('PUT', {}, danger))).status).toBe(405);
    expect(scene.reached).toEqual([]);
  });
});

test('headers that mirror redacted arguments are redacted as they are; others of that kind are refused', async () => {
  const patterns = { deny: [{ name: 'key', regex: 'k-[0-9]+' }], action: 'redact' as const };
  await using scene = await HttpScene.under({ server: { tools: { '*': { arguments: patterns } } } });
  const headers = { 'Mcp-Param-Text': 'my k-1', 'Mcp-Param-Region': 'eu' };
  await scene.post(toolCall(1, 'echo', { text: 'my k-1' }), headers);
  expect(JSON.parse(scene.reached[0] ?? '')).toMatchObject({ params: { arguments: { text: 'my [redacted:key]' } } });
  expect(scene.requests[0]?.headers).toMatchObject({ 'mcp-param-text': 'my [redacted:key]', 'mcp-param-region': 'eu' });
  expect(JSON.parse((await scene.post(toolCall(2, 'echo', { text: 'none' }), headers)).body)).toMatchObject(UNJUDGED);
  expect(scene.reached).toHaveLength(1);
});

describe('what a server answers and nobody can judge is refused', () => {
  test.each([
    ['equal keys', TOOLS.replace('"tools"', '"tools":[],"tools"'), 'application/json', {}],
    ['another type', TOOLS, 'text/html', {}],
    ['no type', TOOLS, '', {}],
    ['another charset', TOOLS, 'application/json; charset=utf-16', {}],
    ['a compressed body', TOOLS, 'application/json', { 'Content-Encoding': 'gzip' }],
    ['a compressed stream', `data: ${TOOLS}\n\n`, 'text/event-stream', { 'Content-Encoding': 'br' }],
    ['no JSON', 'danger', 'application/json', {}],
    ['no message', '{"tools":[{"name":"danger"}]}', 'application/json', {}],
  ])('%s', async (_, body, type, headers) => {
    await using scene = await HttpScene.under();
    scene.answers(body, type, headers);
    const heard = await scene.post(LIST);
    expect([heard.status, JSON.parse(heard.body)]).toMatchObject([200, { id: 1, ...UNJUDGED }]);
  });

  test('an answer that is too long', async () => {
    await using scene = await HttpScene.under();
    scene.answers(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(65 * 1024 * 1024)}"}`);
    expect(JSON.parse((await scene.post(LIST)).body)).toMatchObject(UNJUDGED);
  });

  test.each(['http://127.0.0.1:1/mcp', '//evil.example/mcp'])('a way around the gateway: %s', async (location) => {
    await using scene = await HttpScene.under();
    scene.behaviour = (_, response) => void response.writeHead(307, { Location: location }).end();
    expect(JSON.parse((await scene.post(LIST)).body)).toMatchObject(UNJUDGED);
  });
});

describe('an event stream that readers may read differently', () => {
  const safe = 'data: {"jsonrpc":"2.0","method":"notifications/message"}';

  test.each([
    ['a bare return as line end', `data: x\rdata: ${TOOLS}\n\n`],
    ['returns as empty line', `${safe}\r\rdata: ${TOOLS}\r\r`],
    ['a line separator', `: \u2028data: ${TOOLS}\n\n`],
    ['a next line character', `id: 1\u0085data: ${TOOLS}\u0085\u0085\n${safe}\n\n`],
    ['a form feed', `: x\fdata: ${TOOLS}\n\n`],
    ['an event that never ends', `${safe}\n\ndata: ${TOOLS}\n`],
    ['a byte order mark', `\ufeffdata: ${TOOLS}\n\n`],
    ['another event', `event: tools\ndata: ${TOOLS}\n\n`],
    ['a field in other letters', `Data: ${TOOLS}\n\n${safe}\n\n`],
    ['no UTF-8', Buffer.concat([Buffer.from('data: \xff', 'latin1'), Buffer.from(`${TOOLS}\n\n`)])],
    ['words', `data: use danger\n\n`],
    ['the rest after a batch', `data: [${TOOLS}]\n\n`],
  ])('shows no reader what is hidden: %s', async (_, stream) => {
    await using scene = await HttpScene.under();
    scene.behaviour = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(stream);
    };
    expect((await scene.post(LIST)).body).not.toContain('danger');
  });

  test('is written anew where only its letters are odd', async () => {
    await using scene = await HttpScene.under();
    const result = rpc({ id: 1, result: { text: 'a\u2028b\u0085' } });
    scene.answers(event(result, '7').replaceAll('\n', '\r'), 'text/event-stream');
    const { body } = await scene.post(toolCall(1, 'echo'));
    expect(body).toBe('event: message\nid: 7\ndata: {"jsonrpc":"2.0","id":1,"result":{"text":"a\\u2028b\\u0085"}}\n\n');
  });

  test('keeps an id whose words did not pass: a client that comes back names it', async () => {
    await using scene = await HttpScene.under();
    scene.answers('id: 9\ndata: words\n\n', 'text/event-stream');
    expect((await scene.post(LIST)).body).toBe('id: 9\ndata: \n\n');
    expect((await scene.events()).map(({ name }) => name)).toContain('mcp_noise');
  });

  test.each(['http://evil.example/message', '//127.0.0.1:1/message', 'http://[/'])(
    'sends no client to %s',
    async (address) => {
      await using scene = await HttpScene.under();
      scene.answers(`event: endpoint\ndata: ${address}\n\n`, 'text/event-stream');
      expect((await hear(await scene.open('GET', { path: '/sse' }))).body).toBe('');
    },
  );
});

test('a server that answers on another stream than it was asked gets nothing past', async () => {
  const deny = [{ name: 'key', regex: 'k-[0-9]+' }];
  await using scene = await HttpScene.under({ server: { tools: { '*': { responses: { deny } } } } });
  const secret = event(rpc({ id: 5, result: { content: 'k-1' } }));
  scene.behaviour = (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    // The call is never answered; whoever listens hears its result.
    if (request.method === 'GET') response.end(secret);
    else response.flushHeaders();
  };
  const asked = await scene.open(
    'POST',
    { headers: { 'Content-Type': 'application/json' } },
    JSON.stringify(toolCall(5, 'echo')),
  );
  expect((await hear(await scene.open('GET'))).body).toContain('-32010');
  asked.destroy();
});
