import { expect, test } from 'vitest';

import { wrapEntry } from './wrap-entry.ts';

const exists = (path: string): boolean => path === '/home/me/notes';

test.each([
  [
    {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem@1.0', '/home/me/notes', '/gone'],
      env: { KEY: 'v' },
    },
    {
      flags: ['-e', 'KEY', '-v', '/home/me/notes:/home/me/notes'],
      image: 'npx:@modelcontextprotocol/server-filesystem@1.0',
      args: ['/home/me/notes', '/gone'],
    },
  ],
  [
    { command: '/usr/bin/uvx', args: ['mcp-server-time', '--tz=UTC'] },
    { flags: [], image: 'uvx:mcp-server-time', args: ['--tz=UTC'] },
  ],
  [
    {
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'TOKEN', '-v', '/a:/b', '--mount', 'type=bind,src=/c,dst=/d', 'img:1', '--x'],
      env: { TOKEN: 't', B: 'b' },
    },
    {
      flags: ['--env=TOKEN', '--volume=/a:/b:rw', '--mount=type=bind,src=/c,dst=/d', '-e', 'B'],
      image: 'img:1',
      args: ['--x'],
    },
  ],
])('%j becomes a definition', (entry, expected) => {
  expect(wrapEntry(entry, exists)).toEqual(expected);
});

test.each([
  [{ url: 'https://example.com' }, /not started by a command/],
  [{ command: 'npx', args: ['--package=x', 'y'] }, /--package/],
  [{ command: 'npx', args: ['-y'] }, /\(none\)/],
  [{ command: 'uvx', args: ['--from', 'x', 'y'] }, /--from/],
  [{ command: 'node', args: ['server.js'] }, /neither/],
  [{ command: 'docker', args: ['run', '--privileged', 'img'] }, /--privileged is not available/],
  [{ command: 'docker', args: ['exec', 'x'] }, /neither/],
])('%j stays as it is', (entry, reason) => {
  expect(wrapEntry(entry, exists)).toEqual({ reason: expect.stringMatching(reason) });
});
