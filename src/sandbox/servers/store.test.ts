import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { ServerDefinition } from './definition.ts';
import { ServerStore } from './store.ts';

const ID = `sha256:${'a'.repeat(64)}`;
const definition: ServerDefinition = {
  version: 1,
  image: 'img:1',
  id: ID,
  flags: ['--volume=/a:/b:ro'],
  command: ['--x', 'y z'],
  tools: [{ name: 'echo' }],
  pinnedAt: '2026-01-01T00:00:00.000Z',
};

let home: string;
let store: ServerStore;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ucp-servers-'));
  store = new ServerStore({}, home);
});
afterEach(() => rmSync(home, { recursive: true }));

test('a definition comes back as it was, in a file of its own that only the user reads', () => {
  store.write('files', definition);
  store.write('a.b', definition);
  expect(store.read('files')).toEqual(definition);
  expect(store.names()).toEqual(['a.b', 'files']);
  expect(statSync(join(home, '.config/ucp/servers/files.json')).mode & 0o777).toBe(0o600);
  store.remove('a.b');
  expect(readdirSync(store.dir)).toEqual(['files.json']);
});

test('XDG_CONFIG_HOME says where', () => {
  expect(new ServerStore({ XDG_CONFIG_HOME: '/x' }, home).dir).toBe('/x/ucp/servers');
});

test('what is not there is told with what is', () => {
  store.write('files', definition);
  expect(() => store.read('file')).toThrow(expect.objectContaining({ code: 'SERVER_UNKNOWN' }));
  expect(() => store.remove('file')).toThrow(/there are files/);
});

test.each(['', '../x', 'a/b', '.x', 'a'.repeat(49), 'a b', 'a\n'])('%j is no name', (name) => {
  expect(() => store.read(name)).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

describe('a file that is no definition is refused with its place', () => {
  test.each([
    ['{', undefined],
    ['[]', ''],
    [JSON.stringify({ ...definition, version: 2 }), '/version'],
    [JSON.stringify({ ...definition, imag: 1 }), '/imag'],
    [JSON.stringify({ ...definition, id: 'sha256:0' }), '/id'],
    [JSON.stringify({ ...definition, digest: 'latest' }), '/digest'],
    [JSON.stringify({ ...definition, flags: ['img'] }), '/flags'],
    [JSON.stringify({ ...definition, command: 'x' }), '/command'],
    [JSON.stringify({ ...definition, tools: [1] }), '/tools'],
    [JSON.stringify({ ...definition, package: { spec: 'x', base: 'y', more: 1 } }), '/package'],
    [JSON.stringify({ ...definition, pinnedAt: 'today' }), '/pinnedAt'],
  ])('%s at %s', (text, pointer) => {
    mkdirSync(store.dir, { recursive: true });
    writeFileSync(store.file('bad'), text);
    expect(() => store.read('bad')).toThrow(expect.objectContaining({ code: 'SERVER_FILE_INVALID', pointer }));
  });
});
