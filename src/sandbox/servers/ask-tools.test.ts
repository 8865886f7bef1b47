import { PassThrough } from 'node:stream';

import { expect, test } from 'vitest';

import { askTools, type ServerPipes } from './ask-tools.ts';

/** A server that answers each message with these lines; null ends its output. */
function server(
  answer: (message: { id?: number; method?: string; params?: object }) => readonly (object | string)[] | null,
): ServerPipes {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdin.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) {
      const lines = answer(JSON.parse(line) as { id?: number });
      if (lines === null) stdout.end();
      else for (const one of lines) stdout.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
    }
  });
  return { stdin, stdout };
}

const hello = { capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };

test('all pages are read, noise is skipped and what the server asks meanwhile is answered', async () => {
  const answered: unknown[] = [];
  const pipes = server(({ id, method, params }) => {
    if (method === 'initialize')
      return ['Listening!', { id: 'p', method: 'ping' }, { id: 'r', method: 'roots/list' }, { id, result: hello }];
    if (method === undefined) answered.push(id);
    if (method !== 'tools/list') return [];
    const more = !('cursor' in (params ?? {}));
    return [
      { method: 'notifications/message' },
      { id, result: { tools: [{ name: more ? 'a' : 'b' }], ...(more ? { nextCursor: 'n' } : {}) } },
    ];
  });
  expect(await askTools(pipes)).toEqual({ name: 's', version: '1', tools: [{ name: 'a' }, { name: 'b' }] });
  expect(answered).toEqual(['p', 'r']);
});

test('a server without tools is not asked for them', async () => {
  const pipes = server(({ id, method }) => (method === 'initialize' ? [{ id, result: { capabilities: {} } }] : []));
  expect(await askTools(pipes)).toEqual({ name: '', version: '', tools: [] });
});

test.each([
  ['ends', () => null, /ended before it answered initialize/],
  [
    'refuses',
    ({ id }: { id?: number }) => [{ id, error: { code: 1, message: 'no key' } }],
    /refused initialize: no key/,
  ],
  [
    'lists nonsense',
    ({ id, method }: { id?: number; method?: string }) =>
      method === 'initialize' ? [{ id, result: hello }] : method === 'tools/list' ? [{ id, result: { tools: 1 } }] : [],
    /without a list/,
  ],
])('one that %s is told of', async (_, answer, message) => {
  await expect(askTools(server(answer))).rejects.toMatchObject({
    code: 'SERVER_CHECK_FAILED',
    message: expect.stringMatching(message),
  });
});
