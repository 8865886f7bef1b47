import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { CLIENTS, type Launch } from './catalog.ts';
import { ClientFile } from './client-file.ts';

const launch: Launch = { command: 'ucp-sandbox', args: ['mcp', 'run', 'files'] };
const GOLDEN = join(import.meta.dirname, 'golden');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ucp-clients-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const files = CLIENTS.map((client) => [client.id, client] as const);

test.each(files)('the file of %s becomes the golden one, and what it was', async (id, client) => {
  const places = { env: {}, home };
  const path = client.user(places);
  const before = readFileSync(join(GOLDEN, `${id}.before`), 'utf8');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, before);
  const file = new ClientFile(client, path, places);
  expect(file.set('files', client.entry(launch), { replace: false })).toBe(true);
  expect(file.set('files', client.entry(launch), { replace: false })).toBe(false);
  await expect(readFileSync(path, 'utf8')).toMatchFileSnapshot(join(GOLDEN, `${id}.after`));
  expect(readFileSync(`${path}.ucp.bak`, 'utf8')).toBe(before);
  expect(file.entries()?.['files']).toEqual(client.entry(launch));
  expect(file.unset('files')).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(existsSync(`${path}.ucp.bak`)).toBe(false);
  expect(file.unset('files')).toBe(false);
});

test.each(files)('the file of %s is made where there is none, and goes again', async (id, client) => {
  const places = { env: {}, home };
  const path = client.user(places);
  const file = new ClientFile(client, path, places);
  expect(file.entries()).toBeUndefined();
  file.set('files', client.entry(launch), { replace: false });
  await expect(readFileSync(path, 'utf8')).toMatchFileSnapshot(join(GOLDEN, `${id}.new`));
  file.unset('files');
  expect(existsSync(path)).toBe(false);
  // A directory that was made for it goes, too.
  expect(existsSync(dirname(path))).toBe(dirname(path) === home);
});
