import { describe, expect, test } from 'vitest';

import { LongEvent } from './long-event.ts';
import { event, HttpScene, rpc, toolCall } from './testing.ts';

const LONG = 'x'.repeat(65 * 1024 * 1024);
const UNJUDGED = { code: -32010, data: { rule: '/gateway/mcp' } };
const PING = event(rpc({ method: 'notifications/message', params: { n: 1 } }));

/** The messages of an event stream. */
const said = (stream: string): readonly unknown[] =>
  [...stream.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown);

/** What an event stream says that answers one call. */
async function streamed(stream: string): Promise<{ readonly body: string; readonly scene: HttpScene }> {
  const scene = await HttpScene.under();
  scene.behaviour = (_, response, text) => {
    if (!text.includes('tools/call')) {
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(stream);
  };
  return { body: (await scene.post(toolCall(1, 'echo'))).body, scene };
}

describe('an event that is too long to be judged', () => {
  test.each([
    ['the id first', `data: {"jsonrpc":"2.0","id":1,"result":{"a":"${LONG}"}}\n\n`],
    ['the id last', `data: {"result":{"a":"${LONG}","id":7},"jsonrpc":"2.0","id":1}\r\n\r\n`],
    ['several lines', `event: message\ndata: {"jsonrpc":"2.0",\ndata: "id":1,\ndata: "result":"${LONG}"}\n\n`],
    ['no end', `data: {"jsonrpc":"2.0","id":1,"result":"${LONG}"}`],
  ])('becomes the refusal of who waits for it, and the stream goes on: %s', async (_, stream) => {
    const { body, scene } = await streamed(stream.endsWith('}') ? stream : stream + PING);
    await using _scene = scene;
    const [first, ...rest] = said(body);
    expect(first).toMatchObject({ id: 1, error: UNJUDGED });
    expect(rest).toHaveLength(stream.endsWith('}') ? 0 : 1);
    expect((await scene.events()).map(({ violation }) => violation?.rule)).toContain('/gateway/mcp');
  });

  test('leaves its id, with which a client comes back', async () => {
    const { body, scene } = await streamed(`id: 9\ndata: {"jsonrpc":"2.0","id":1,"result":"${LONG}"}\n\n`);
    await using _scene = scene;
    expect(body).toMatch(/-32010.*\n\nid: 9\ndata: \n\n$/);
  });

  test('of a server that asks is answered to the server, and never reaches the client', async () => {
    const asks = `{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"a":"${LONG}"}}`;
    const { body, scene } = await streamed(`data: ${asks}\n\n${event(rpc({ id: 1, result: {} }))}`);
    await using _scene = scene;
    expect(said(body)).toEqual([rpc({ id: 1, result: {} })]);
    await expect.poll(() => scene.reached).toHaveLength(2);
    expect(JSON.parse(scene.reached[1] ?? '')).toMatchObject({ id: 5, error: UNJUDGED });
  });

  test.each([
    ['policy wants no gateway', null, true],
    ['it observes', undefined, false],
  ] as const)('passes whole where %s', async (_, mcp, remediate) => {
    await using scene = await HttpScene.under(mcp, { remediate });
    const stream = `data: {"jsonrpc":"2.0","id":1,"result":"${LONG}"}\n\n${PING}`;
    scene.answers(stream, 'text/event-stream');
    const { body } = await scene.post(toolCall(1, 'echo'));
    expect([body.length, body === stream]).toEqual([stream.length, true]);
  });
});

test('what has to be known of a long event is read in any pieces', () => {
  const text = 'id: 7\r\n: words\rdata: [{"id":"a",\ndata:"result":{"id":0}},\rdata:{"method":"m","id":2}]\r\n\r\n';
  for (const size of [1, 2, 3, 7, 1000]) {
    const event = new LongEvent();
    for (let at = 0; at < text.length; at += size) event.push(Buffer.from(text.slice(at, at + size)));
    expect([size, event.id, event.messages]).toEqual([
      size,
      '7',
      [
        { id: 'a', hasMethod: false },
        { id: 2, hasMethod: true },
      ],
    ]);
  }
});
