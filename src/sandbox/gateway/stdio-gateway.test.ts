import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../core/json.ts';
import { call, DENY, line, sceneUnder } from './testing.ts';

describe('a denied tool', () => {
  test('is refused in the client’s words, never reaches the server, and is told of', async () => {
    const one = await sceneUnder();
    const { server, client } = await one.clientSays(call(7, 'danger'));
    expect(server).toBe('');
    const [event] = await one.events();
    expect(JSON.parse(client)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32010,
        message: expect.stringContaining('danger'),
        data: {
          rule: '/gateway/mcp/server/tools/*/deny_list/0',
          policy: 'p',
          event_id: event?.id,
          message: expect.any(String),
        },
      },
    });
    expect(event).toMatchObject({
      name: 'mcp_violation',
      scope: 'gateway',
      severity: 'ERROR',
      violation: { action: 'blocked' },
    });
  });

  test.each([' danger', 'danger\u00a0', 'ｄａｎｇｅｒ'])('is refused as %j', async (name) => {
    const one = await sceneUnder();
    expect((await one.clientSays(call(1, name))).server).toBe('');
  });

  test('is refused without an id, silently', async () => {
    const one = await sceneUnder();
    const heard = await one.clientSays(line({ method: 'tools/call', params: { name: 'danger' } }));
    expect(heard).toMatchObject({ server: '', client: '' });
    expect(await one.events()).toMatchObject([{ name: 'mcp_violation' }]);
  });

  test('vanishes from every page, whatever type the server answers the id with', async () => {
    const one = await sceneUnder();
    for (const [asked, answered] of [
      [1, '1'],
      ['2', 2],
      [3, 3],
    ] as const) {
      await one.clientSays(line({ id: asked, method: 'tools/list', params: { cursor: 'x' } }));
      const page = { tools: [{ name: 'danger' }, { name: 'echo' }], nextCursor: 'y', _meta: { a: 1 } };
      const { client } = await one.serverSays(line({ id: answered, result: page }));
      expect(JSON.parse(client)).toEqual({
        jsonrpc: '2.0',
        id: answered,
        result: { ...page, tools: [{ name: 'echo' }] },
      });
    }
  });

  test('vanishes from lists that nobody asked for', async () => {
    const one = await sceneUnder();
    expect((await one.serverSays(line({ id: 99, result: { tools: [{ name: 'danger' }] } }))).client).not.toContain(
      'danger',
    );
  });

  test('is taken out of a batch, the rest goes on', async () => {
    const one = await sceneUnder();
    const { server, client } = await one.clientSays(
      `[${call(1, 'danger').trim()},${call(2, 'echo').trim()},${line({ id: 3, method: 'ping' }).trim()}]\n`,
    );
    expect(JSON.parse(server)).toMatchObject([{ id: 2 }, { id: 3 }]);
    expect(JSON.parse(client)).toMatchObject([{ id: 1, error: { code: -32010 } }]);
  });

  test('vanishes from a list in a batch', async () => {
    const one = await sceneUnder();
    await one.clientSays(line({ id: 1, method: 'tools/list' }));
    const { client } = await one.serverSays(`[${line({ id: 1, result: { tools: [{ name: 'danger' }] } }).trim()}]\n`);
    expect(JSON.parse(client)).toMatchObject([{ id: 1, result: { tools: [] } }]);
  });
});

test('other methods reach the same resource no more than reading it', async () => {
  const one = await sceneUnder();
  const messages: readonly JsonObject[] = [
    { method: 'resources/read', params: { uri: 'mem://secret' } },
    { method: 'resources/read', params: { uri: 'MEM://se%63ret' } },
    { method: 'resources/subscribe', params: { uri: 'mem://secret' } },
    { method: 'completion/complete', params: { ref: { type: 'ref/resource', uri: 'mem://secret' } } },
  ];
  for (const message of messages) {
    expect((await one.clientSays(line({ id: 1, ...message }))).server).toBe('');
  }
  await one.clientSays(line({ id: 2, method: 'resources/list' }));
  const { client } = await one.serverSays(
    line({ id: 2, result: { resources: [{ uri: 'mem://secret' }, { uri: 'mem://b' }] } }),
  );
  expect(JSON.parse(client)).toMatchObject({ result: { resources: [{ uri: 'mem://b' }] } });
});

describe('what two readers may understand differently is refused', () => {
  test.each([
    ['a name twice', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"danger","name":"echo"}}\n'],
    [
      'a name twice, one escaped',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n\\u0061me":"danger","name":"echo"}}\n',
    ],
    [
      'a key in other letters',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"danger"}}\n',
    ],
    ['a key with a long s', '{"jsonrpc":"2.0","id":1,"method":"ping","paramſ":{}}\n'],
    ['a line within a line', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":\r{"jsonrpc":"2.0"}\r}}\n'],
    ['a name that is no text', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["danger"]}}\n'],
    ['parameters by place', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["danger"]}\n'],
    ['a method in other letters', '{"jsonrpc":"2.0","id":1,"method":" Tools/Call","params":{"name":"danger"}}\n'],
    ['request and answer at once', '{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{}}\n'],
    ['another protocol', '{"id":1,"method":"tools/call","params":{"name":"danger"}}\n'],
  ])('%s', async (_, text) => {
    const one = await sceneUnder();
    const { server, client } = await one.clientSays(text);
    expect(server).toBe('');
    expect(JSON.parse(client)).toMatchObject({ id: 1, error: { code: -32010, data: { rule: '/gateway/mcp' } } });
  });

  test.each([
    ['text', 'hello\n'],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"jsonrpc":"2.0","method":"'), 0xff, 0x22, 0x7d, 10])],
    ['a number', '5\n'],
    ['an empty batch', '[]\n'],
  ])('%s goes nowhere, and is told of', async (_, bytes) => {
    const one = await sceneUnder();
    expect(await one.clientSays(bytes)).toMatchObject({ server: '', client: '' });
    expect(await one.events()).toMatchObject([{ name: 'mcp_violation', violation: { rule: '/gateway/mcp' } }]);
  });
});

test('messages that no rule touches pass as they came, in any chunks, with any line end', async () => {
  const one = await sceneUnder();
  const text = `{ "jsonrpc":"2.0", "id": 1.0,"method":"tools/call","params":{"name":"e\\u0063ho","arguments":{"n":12345678901234567890,"é":"ü"}} }\r\n`;
  const bytes = Buffer.from(text + text);
  let server = '';
  for (const byte of bytes) server += (await one.clientSays(Buffer.from([byte]))).server;
  expect(server).toBe(text + text);
  expect((await one.serverSays(`{"jsonrpc":"2.0","id":5,"result":{"a":1.50}}\r\n`)).client).toBe(
    `{"jsonrpc":"2.0","id":5,"result":{"a":1.50}}\r\n`,
  );
});

test('what a server says on stdout besides the protocol is kept off the client and shown', async () => {
  const one = await sceneUnder();
  const heard = await one.serverSays(`Server ready\n${line({ id: 1, result: {} })}{"level":"info"}\n`);
  expect(heard).toEqual({
    server: '',
    client: line({ id: 1, result: {} }),
    stderr: 'Server ready\n{"level":"info"}\n',
  });
  expect((await one.events()).map(({ name, body }) => [name, body['lines']])).toEqual([
    ['mcp_noise', 1],
    ['mcp_noise', 2],
  ]);
});

test('observing changes no byte, whatever comes, and tells of it', async () => {
  const one = await sceneUnder(DENY, false);
  const said = `${call(1, 'danger')}nonsense\n{"jsonrpc":"2.0","id":2,"method":"ping","method":"ping"}\r\n[]\n\n`;
  const answered = `noise\n${line({ id: 1, result: { tools: [{ name: 'danger' }] } })}{"a":1,"a":2}\nno end`;
  expect((await one.clientSays(said)).server).toBe(said);
  const { client } = await one.serverSays(answered);
  const events = await one.events();
  expect(client + String(one.client.read() ?? '')).toBe(answered);
  expect(events.filter(({ violation }) => violation !== undefined).map(({ severity }) => severity)).toContain('WARN');
});

test('a refusal by a sensor in the program is no second violation', async () => {
  const one = await sceneUnder();
  await one.clientSays(call(1, 'echo'));
  const error = {
    code: -32010,
    message: 'no',
    data: { rule: '/js_sensor/mcp', policy: 'p', event_id: 'e', message: 'no' },
  };
  expect((await one.serverSays(line({ id: 1, error }))).client).toBe(line({ id: 1, error }));
  expect(await one.events()).toMatchObject([{ name: 'mcp_tool_call', body: { outcome: 'refused' } }]);
});

test('what a server asks of a client passes and is told of', async () => {
  const one = await sceneUnder();
  const asked = line({ id: 1, method: 'sampling/createMessage' });
  expect((await one.serverSays(asked)).client).toBe(asked);
  expect((await one.clientSays(line({ id: 1, result: {} }))).server).toBe(line({ id: 1, result: {} }));
  expect(await one.events()).toMatchObject([{ name: 'mcp_sampling' }]);
});

test('a message of 10 MB passes at the pace of its reader', async () => {
  const one = await sceneUnder();
  const params = { name: 'echo', arguments: { text: 'x'.repeat(10_000_000) } };
  const text = line({ id: 1, method: 'tools/call', params });
  const written = one.clientSays(text);
  let ended = false;
  void written.then(() => (ended = true));
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  const heard: Buffer[] = [];
  one.server.on('data', (bytes: Buffer) => heard.push(bytes));
  await written;
  expect(Buffer.concat(heard).toString() === text).toBe(true);
});

describe('who waits for an answer', () => {
  const filler = 'x'.repeat(1024 * 1024);
  const tooLong = (message: string): Buffer => Buffer.from(message.replace('FILL', filler.repeat(65)));

  test('is told that the request was too long to be read', async () => {
    const scene = await sceneUnder();
    // SDKs write the id last.
    const said = await scene.clientSays(
      tooLong('{"method":"tools/call","params":{"name":"FILL"},"jsonrpc":"2.0","id":"a"}\n'),
    );
    expect(said.server).toBe('');
    expect(JSON.parse(said.client)).toMatchObject({ id: 'a', error: { code: -32010, data: { rule: '/gateway/mcp' } } });
    expect((await scene.clientSays(line({ id: 2, method: 'ping' }))).server).toBe(line({ id: 2, method: 'ping' }));
  });

  test('is told that the answer was too long to be read', async () => {
    const scene = await sceneUnder();
    await scene.clientSays(call(7, 'echo'));
    const said = await scene.serverSays(tooLong('{"jsonrpc":"2.0","id":7,"result":{"content":"FILL"}}\n'));
    expect(JSON.parse(said.client)).toMatchObject({ id: 7, error: { code: -32010 } });
    const asked = await scene.serverSays(
      tooLong('{"jsonrpc":"2.0","id":8,"method":"sampling/createMessage","params":"FILL"}\n'),
    );
    expect(asked.client).toBe('');
    expect(JSON.parse(asked.server)).toMatchObject({ id: 8, error: { code: -32010 } });
  });

  test('is told that the server has ended, unless no byte may change', async () => {
    const scene = await sceneUnder();
    await scene.clientSays(call('w', 'echo') + call(3, 'echo'));
    await scene.serverSays(line({ id: 3, result: {} }));
    await scene.gateway.finish('The server ended with exit code 9.');
    expect(JSON.parse(String(scene.client.read()))).toMatchObject({
      id: 'w',
      error: { code: -32603, message: 'The server ended with exit code 9.' },
    });
    const observed = await sceneUnder(undefined, false);
    await observed.clientSays(call('w', 'echo'));
    await observed.gateway.finish('The server ended with exit code 9.');
    expect(observed.client.read()).toBeNull();
  });
});
