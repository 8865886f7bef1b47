import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { clients, node } from '../../images/index.ts';
import { docker } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { connectTo } from './helpers/client.ts';
import { Registry } from './helpers/registry.ts';

interface Shown {
  readonly image: string;
  readonly id: string;
}

describe('servers straight from a package', () => {
  let host: TestHost;
  let registry: Registry;
  const images = new Set<string>();

  beforeAll(async () => {
    registry = await Registry.start();
    host = new TestHost();
  });
  afterAll(async () => {
    for (const image of images) await docker('rmi', image);
    registry[Symbol.dispose]();
    await host[Symbol.asyncDispose]();
  });

  async function shown(name: string): Promise<Shown> {
    const [server] = JSON.parse((await host.sandbox(['mcp', 'show', name, '--json'])).stdout) as [Shown];
    images.add(server.image);
    return server;
  }

  verifies(['WR-05'], 'npx: fetched without running anything of it, built once, updated by version', async () => {
    const base = await node();
    const flags = ['--base', base, `--registry=${registry.url}`];
    const added = await host.sandbox(['mcp', 'add', 'mini', ...flags, 'npx:@mini/server', '/data', 'a b']);
    expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('mini 1.0.0, tools: 1') });
    expect(added.stderr).toContain('Fetching @mini/server 1.0.0');
    const client = await connectTo(host, 'mini');
    expect((await client.listTools()).tools).toMatchObject([{ name: 'dir', description: '/data a b' }]);
    await client.close();
    const first = await shown('mini');
    const marks = await docker(
      'run',
      '--rm',
      '--entrypoint',
      'find',
      first.image,
      '/opt/ucp-package',
      '-name',
      'installed',
    );
    expect(marks).toMatchObject({ exitCode: 0, stdout: '' });
    const again = await host.sandbox(['mcp', 'add', '--no-check', 'twin', ...flags, 'npx:@mini/server@1.0.0']);
    expect(again.stderr).not.toContain('Fetching');
    expect((await shown('twin')).id).toBe(first.id);
    expect((await host.sandbox(['mcp', 'update', 'mini'])).stdout).toBe('mini is up to date.\n');
    await registry.publish('1.1.0');
    expect(await host.sandbox(['mcp', 'update', 'mini', '--yes'])).toMatchObject({ exitCode: 0 });
    expect((await shown('mini')).id).not.toBe(first.id);
  });

  verifies(['WR-05'], 'uvx: wheels only, for the Python of the base', async () => {
    const base = await clients();
    const flags = [`--base=${base}`, '--registry', `${registry.url}/simple/`];
    const added = await host.sandbox(['mcp', 'add', 'py', ...flags, 'uvx:mini-py'], {
      env: { PIP_FIND_LINKS: '', PIP_CONFIG_FILE: '/dev/null' },
    });
    expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('mini-py 1, tools: 1') });
    await shown('py');
  });

  verifies(['WR-07'], 'import shows what it would do, then does it, and remove takes it back', async () => {
    mkdirSync(host.path('.cursor'));
    const file = host.path('.cursor/mcp.json');
    const before =
      '{\n  // mine\n  "mcpServers": {\n    "own": { "command": "npx", "args": ["-y", "@mini/server", "x"], "env": { "K": "v" } },\n    "raw": { "command": "node", "args": ["x.js"] }\n  }\n}\n';
    writeFileSync(file, before);
    const flags = ['client', 'import', 'cursor', '--base', await node(), `--registry=${registry.url}`];
    const shownFirst = await host.sandbox(flags);
    expect(shownFirst).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/mcp add own .*npx:@mini\/server x$/m),
    });
    expect(shownFirst.stderr).toMatch(/^- .*"npx"/m);
    expect(shownFirst.stderr).toContain('raw stays as it is');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(await host.sandbox([...flags, '--yes'])).toMatchObject({ exitCode: 1, stdout: 'Imported 1 of 2.\n' });
    expect(readFileSync(file, 'utf8')).toMatch(/\/\/ mine[^]*"own": \{[^]*"mcp",\s+"run",\s+"own"[^]*"K": "v"/);
    await shown('own');
    const client = await connectTo(host, 'own');
    expect((await client.listTools()).tools).toMatchObject([{ description: 'x' }]);
    await client.close();
    await host.sandbox(['client', 'remove', 'cursor']);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  verifies(['WR-05'], 'what is not there is said with the words of the tool, and nothing is kept', async () => {
    const flags = ['--base', await node(), `--registry=${registry.url}`];
    expect(await host.sandbox(['mcp', 'add', 'none', ...flags, 'npx:no-such-thing'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/PACKAGE_FAILED.*404/s),
    });
    expect(await host.sandbox(['mcp', 'add', 'none', ...flags, 'npx:../x'])).toMatchObject({ exitCode: 2 });
    expect(await host.sandbox(['mcp', 'add', 'none', '--base=x', 'img'])).toMatchObject({ exitCode: 2 });
    expect((await host.sandbox(['mcp', 'ls'])).stdout).not.toContain('none');
  });
});
