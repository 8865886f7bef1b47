import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

import type { Dialog } from './helpers/dialogs.ts';
import { packages, program } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run } from './helpers/run.ts';

/** Bundles a program of the set `v1` with its SDK; returns the file. */
async function bundled(bundler: string, file: string): Promise<string> {
  const outdir = join(await packages('v1'), 'bundles');
  mkdirSync(outdir, { recursive: true });
  const script = await program('bundlers', 'bundle.mjs');
  const { stdout } = await execa(process.execPath, [script, bundler, await program('v1', file), outdir]);
  return stdout.trim().split('\n').at(-1) ?? '';
}

// They take long over it; esbuild's bundles are in every run.
describe.each(process.env['UCP_FULL'] === '1' ? ['webpack', 'rollup', 'ncc'] : [])('bundled by %s', (bundler) => {
  test('a program is seen like the plain one', async () => {
    const ran = await run([await bundled(bundler, 'v1.mjs'), 'memory'], { policy: denyOn('server') });
    expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    const seen = JSON.parse(ran.stdout) as Dialog;
    expect(seen).toMatchObject({ tools: ['echo'], danger: { code: -32010 }, again: 'still here' });
  });
});

const TYPED = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
// @ts-expect-error
import { makeServer } from './v1-server.mjs';
enum Word { End = 'end' } // What stripping types alone can't run.
async function main(): Promise<void> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await makeServer().connect(theirs);
  const client: Client = new Client({ name: 'typed', version: '1.0.0' });
  await client.connect(mine);
  console.log((await client.listTools()).tools.map((tool) => tool.name).join(), Word.End);
}
void main();
`;

test.each([
  ['.ts', ['--import', 'tsx']],
  ['.cts', ['--import', 'tsx']],
  ['.ts', ['--require', 'tsx/cjs', '--import', 'tsx/esm']],
])('a TypeScript program (%s) run by tsx, loaded by %j', async (extension, flags) => {
  const tsx = await packages('bundlers');
  const file = join(await packages('v1'), 'programs', `tsx${extension}`);
  writeFileSync(file, TYPED);
  const resolved = flags.map((flag) =>
    flag.startsWith('tsx') ? join(tsx, 'node_modules', flag === 'tsx' ? 'tsx/dist/loader.mjs' : entryOf(flag)) : flag,
  );
  const ran = await run([file], { flags: resolved, policy: denyOn('client') });
  expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
    code: 0,
    stdout: 'echo end\n',
    stderr: '',
  });
});

function entryOf(flag: string): string {
  return flag === 'tsx/cjs' ? 'tsx/dist/cjs/index.cjs' : 'tsx/dist/esm/index.mjs';
}
