import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type Client, CLIENTS, isSandboxed, sandboxedServer } from './catalog.ts';
import { ClientFile } from './client-file.ts';

let home: string;
let path: string;
beforeEach(() => {
  // In memory: the property tests write thousands of files, each of them for good.
  home = mkdtempSync(join('/dev/shm', 'ucp-clients-'));
  path = join(home, 'config');
});
afterEach(() => rmSync(home, { recursive: true }));

function clientOf(id: string): Client {
  const client = CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(id);
  return client;
}
const open = (id: string): ClientFile => new ClientFile(clientOf(id), path, { env: {}, home });
const entry = (id: string, name = 's'): ReturnType<Client['entry']> =>
  clientOf(id).entry({ command: 'ucp-sandbox', args: ['mcp', 'run', name] });
const add = (id: string, name = 's'): boolean => open(id).set(name, entry(id, name), { replace: false });
const now = (): string => readFileSync(path, 'utf8');

/** Names that are set up; nobody else's server has one of them. */
const OURS = ['s', 't u', 'v"w', 'x.y'];
const theirs = fc.stringMatching(/^[a-z"\\ ]{1,6}$/).filter((name) => !OURS.includes(name));

/** A JSON file as people and programs write them. */
const jsonFile = fc
  .record({
    servers: fc.option(fc.uniqueArray(theirs, { maxLength: 3 }), { nil: undefined }),
    others: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    unit: fc.constantFrom('', '  ', '    ', '\t'),
    eol: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\uFEFF'),
    end: fc.constantFrom('', '\n', '\n\n'),
    comments: fc.boolean(),
  })
  .map(({ servers, others, unit, eol, mark, end, comments }) => {
    const { mcpServers: _, ...rest } = others;
    const table = servers && Object.fromEntries(servers.map((name) => [name, { command: name }]));
    const text = JSON.stringify({ ...rest, ...(table === undefined ? {} : { mcpServers: table }) }, null, unit);
    const noted =
      comments && unit !== '' ? text.replaceAll(/,\n/g, ', // a, "note" {\n').replace(/\n}$/, '\n// end\n}') : text;
    return mark + (noted + end).replaceAll('\n', eol);
  });

const tomlFile = fc
  .array(
    fc.constantFrom(
      'model = "x" # note',
      '',
      '# [mcp_servers.s]',
      'text = """\n[mcp_servers.fake]\n"""',
      '[mcp_servers.a]\ncommand = "npx"\nargs = [\n  "x", # y\n]\n',
      '[mcp_servers."b c"]\ncommand = "npx"\n[mcp_servers."b c".env]\nK = "v"',
      '\n# Profiles\n[profiles.p] # fast\nmodel = "y"',
      '[[history]]\nmax = 1',
    ),
    { maxLength: 6 },
  )
  .map((parts) => [...new Set(parts)].join('\n'));

describe.each([
  ['cursor', jsonFile],
  ['codex', tomlFile],
])('the file of %s', (id, texts) => {
  test('is the same to the byte after setup and remove in any order', () => {
    const names = fc.uniqueArray(fc.constantFrom(...OURS), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, names, fc.integer(), (text, all, seed) => {
        writeFileSync(path, text);
        try {
          open(id).entries();
        } catch {
          return; // Not a file of this kind: tried below.
        }
        for (const name of all) add(id, name);
        expect(Object.keys(open(id).entries() ?? {})).toEqual(expect.arrayContaining([...all]));
        const order = all.toSorted((one, two) => (one + seed < two + seed ? -1 : 1) * (seed % 2 === 0 ? 1 : -1));
        for (const name of order) expect(open(id).unset(name)).toBe(true);
        expect(now()).toBe(text);
      }),
      { numRuns: process.env['UCP_FULL'] === undefined ? 100 : 5000, endOnFailure: true },
    );
  });

  test('keeps what others write between setup and remove', () => {
    fc.assert(
      fc.property(texts, (text) => {
        writeFileSync(path, text);
        try {
          open(id).entries();
        } catch {
          return;
        }
        const before = open(id).entries();
        add(id);
        const comment = id === 'codex' ? '\n# later\n' : '\n\n';
        writeFileSync(path, now() + comment);
        expect(open(id).unset('s')).toBe(true);
        expect(open(id).entries()).toEqual(before);
        expect(now().endsWith(comment)).toBe(true);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });
});

describe('a file that would break is left alone', () => {
  test.each([
    ['cursor', '{ "mcpServers": { } ', /cannot be parsed.*line 1/],
    ['cursor', '[]', /not an object/],
    ['cursor', '{ "mcpServers": [] }', /not an object/],
    ['cursor', '{ "mcpServers": {}, "mcpServers": {} }', /twice/],
    ['claude-desktop', '{ // note\n}', /cannot be parsed/],
    ['codex', 'a = ', /cannot be parsed/],
    ['codex', 'mcp_servers = 1', /not a table/],
    ['codex', 'mcp_servers = { a = { command = "x" } }', /cannot be parsed|cannot be changed safely/],
    ['cursor', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
  ])('%s: %s', (id, text, message) => {
    writeFileSync(path, text);
    expect(() => add(id)).toThrow(
      expect.objectContaining({ code: 'CLIENT_FILE_INVALID', message: expect.stringMatching(message) }),
    );
    expect(readFileSync(path)).toEqual(Buffer.from(text));
    expect(existsSync(`${path}.ucp.bak`)).toBe(false);
  });
});

test('a server that is not ours is not replaced, unless asked, and comes back', () => {
  const text = '{ "mcpServers": { "s": { "command": "npx", "env": { "K": "v" } } } }\n';
  writeFileSync(path, text);
  expect(() => add('cursor')).toThrow(expect.objectContaining({ code: 'CLIENT_ENTRY_EXISTS' }));
  expect(open('cursor').unset('s')).toBe(false);
  open('cursor').set('s', entry('cursor'), { replace: true });
  writeFileSync(path, `${now()}\n`);
  open('cursor').unset('s');
  expect(open('cursor').entries()).toEqual({ s: { command: 'npx', env: { K: 'v' } } });
});

test('links stay links, permissions stay, a directory that cannot be written is told', () => {
  const real = join(home, 'dotfiles.json');
  writeFileSync(real, '{}', { mode: 0o640 });
  chmodSync(real, 0o640);
  symlinkSync(real, path);
  add('cursor');
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(Object.keys(open('cursor').entries() ?? {})).toEqual(['s']);
  const file = new ClientFile(clientOf('cursor'), '/proc/none/mcp.json', { env: {}, home });
  expect(() => file.set('s', entry('cursor'), { replace: false })).toThrow(
    expect.objectContaining({ code: 'CLIENT_FILE_UNWRITABLE' }),
  );
});

test('an entry in TOML is changed in its place', () => {
  writeFileSync(
    path,
    '[mcp_servers.s]\n# how\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "x" ]\nstartup_timeout_sec = 9\n',
  );
  const file = open('codex');
  file.set('s', { ...file.entries()?.['s'], ...entry('codex') }, { replace: true });
  expect(now()).toBe(
    '[mcp_servers.s]\n# how\ncommand = "ucp-sandbox"\nargs = ["mcp", "run", "s"]\nstartup_timeout_sec = 9\n',
  );
});

test('entries that ucp-sandbox stands in front of are known', () => {
  const script = '/opt/ucp/bin/ucp-sandbox.js';
  expect(sandboxedServer({ command: '/usr/bin/node', args: [script, 'mcp', 'run', 'files'] })).toBe('files');
  expect(sandboxedServer({ command: 'ucp-sandbox', args: ['run', '--mcp', 'stdio', 'img'] })).toBeUndefined();
  expect(isSandboxed({ command: 'ucp-sandbox', args: ['run', '--mcp', 'stdio', 'img'] })).toBe(true);
  expect(isSandboxed({ command: 'npx', args: ['my-ucp-sandbox', 'run'] })).toBe(false);
  expect(isSandboxed({ url: 'https://example.com' })).toBe(false);
});
