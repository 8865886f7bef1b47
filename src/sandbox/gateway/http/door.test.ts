import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { HttpScene, rpc, toolCall } from './testing.ts';

const PING = rpc({ id: 1, method: 'ping' });
const TOKEN = 'a-token-of-25-characters.';

describe('who comes in', () => {
  test.each([
    ['the address', {}],
    ['localhost', { Host: 'localhost:3001' }],
    ['another address of the host', { Host: '192.168.1.5:80' }],
    ['IPv6', { Host: '[::1]:3001' }],
    ['a page of this machine', { Origin: 'http://localhost:6274' }],
    ['a page of the same address', { Host: '192.168.1.5:80', Origin: 'http://192.168.1.5' }],
  ])('%s', async (_, headers) => {
    await using scene = await HttpScene.under();
    expect((await scene.post(PING, headers)).status).toBe(202);
    expect(scene.reached).toHaveLength(1);
  });

  test.each([
    ['a name that may be rebound', { Host: 'evil.example:3001' }],
    ['a name that looks local', { Host: 'localhost.evil.example' }],
    ['an address in disguise', { Host: '2130706433' }],
    ['a user before the name', { Host: 'localhost@evil.example' }],
    ['a page of the web', { Origin: 'https://evil.example' }],
    ['a page at an address of the web', { Origin: 'http://203.0.113.7' }],
    ['a page without an origin', { Origin: 'null' }],
    ['a page that looks local', { Origin: 'http://localhost.evil.example' }],
  ])('not %s', async (_, headers) => {
    await using scene = await HttpScene.under();
    expect((await scene.post(PING, headers)).status).toBe(403);
    expect(scene.reached).toEqual([]);
  });

  test('a bearer token is demanded, and kept from the server', async () => {
    await using scene = await HttpScene.under(undefined, { token: createHash('sha256').update(TOKEN).digest('hex') });
    for (const given of ['', 'Bearer another', `Basic ${TOKEN}`]) {
      expect(await scene.post(PING, given === '' ? {} : { Authorization: given })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    expect(scene.reached).toEqual([]);
    expect((await scene.post(PING, { Authorization: `Bearer ${TOKEN}` })).status).toBe(202);
    expect(scene.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('a request that can be read in two ways', () => {
  const body = JSON.stringify(toolCall(1, 'danger'));
  const hidden = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n';
  const json = 'Content-Type: application/json\r\n';

  test.each([
    ['two lengths', `${head}${json}Content-Length: 2\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['length and chunks', `${head}${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['strange chunks', `${head}${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a folded header', `${head}${json}X-A: b\r\n Content-Length: 3\r\n\r\n${hidden}`],
    ['a header of two types', `${head}${json}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'a session under another spelling',
      `${head}${json}Mcp_Session_Id: b\r\nMcp-Session-Id: a\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'another server as its path',
      `POST http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n${json}Content-Length: 2\r\n\r\n{}`,
    ],
    ['two hosts', `${head}Host: evil.example\r\n${json}Content-Length: 2\r\n\r\n{}`],
    ['a bare line feed in a header', `${head}X-A: b\nContent-Length: ${hidden.length}\r\n${json}\r\n${hidden}`],
  ])('%s goes nowhere', async (_, raw) => {
    await using scene = await HttpScene.under();
    const socket = connect(scene.port, '127.0.0.1');
    socket.end(raw);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(scene.reached.filter((one) => one.includes('danger'))).toEqual([]);
  });
});
