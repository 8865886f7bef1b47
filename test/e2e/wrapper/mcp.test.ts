import { mkdirSync, writeFileSync } from 'node:fs';

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox, mcpServer } from '../../images/index.ts';
import { cServer } from '../gateway/helpers/c-server.ts';
import { docker, inspect, until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { connectTo } from './helpers/client.ts';

/** Resolves when a client's server has ended. */
async function endOf(client: Client): Promise<void> {
  await new Promise<void>((resolve) => Object.assign(client, { onclose: resolve }));
}

describe('named MCP servers', () => {
  let host: TestHost;
  let image: string;
  const tag = `ucp-test/wrapper-${process.pid}:latest`;

  beforeAll(async () => {
    host = new TestHost();
    image = await mcpServer();
    await docker('tag', image, tag);
  });
  afterAll(async () => {
    await docker('rmi', tag);
    await host[Symbol.asyncDispose]();
  });

  verifies(['WR-01'], 'add pins what works, and ls, show and rm know it', async () => {
    const added = await host.sandbox(['mcp', 'add', 'tools', tag, 'mcp-server-everything']);
    expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Added tools \(\S+ \S+, tools: \d+\)/) });
    const again = await host.sandbox(['mcp', 'add', 'tools', tag]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('SERVER_EXISTS') });
    const [shown] = JSON.parse((await host.sandbox(['mcp', 'show', 'tools', '--json'])).stdout) as [
      { id: string; tools: { name: string }[] },
    ];
    expect(shown).toMatchObject({ name: 'tools', image: tag, id: ((await inspect(tag)) as { Id: string }).Id });
    expect(shown.tools.map(({ name }) => name)).toContain('echo');
    expect((await host.sandbox(['mcp', 'ls'])).stdout).toContain(tag);
    await host.sandbox(['mcp', 'add', '--no-check', 'other', tag]);
    expect(await host.sandbox(['mcp', 'rm', 'other'])).toMatchObject({ exitCode: 0, stdout: 'other\n' });
    expect(JSON.parse((await host.sandbox(['mcp', 'ls', '--json'])).stdout)).toMatchObject([{ name: 'tools' }]);
  });

  verifies(['WR-01'], 'add refuses a server that does not answer, with what it said', async () => {
    const quiet = await busybox();
    const failed = await host.sandbox(['mcp', 'add', 'broken', quiet, 'sh', '-c', 'echo no key given >&2; exit 3']);
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/SERVER_CHECK_FAILED.*no key given/s) });
    expect(await host.sandbox(['mcp', 'run', 'broken'])).toMatchObject({
      exitCode: 125,
      stdout: '',
      stderr: expect.stringContaining('SERVER_UNKNOWN'),
    });
    mkdirSync(host.path('.config/ucp/servers'), { recursive: true });
    writeFileSync(host.path('.config/ucp/servers/edited.json'), '{"version":1,"imag":"x"}');
    expect(await host.sandbox(['mcp', 'run', 'edited'])).toMatchObject({
      exitCode: 125,
      stderr: expect.stringMatching(/SERVER_FILE_INVALID.*\/imag/),
    });
    expect((await host.sandbox(['mcp', 'ls'])).stdout).toMatch(/edited +.*unknown key/);
    await host.sandbox(['mcp', 'rm', 'edited']);
  });

  verifies(['WR-02'], 'ten clients of one name have a sandbox each, which all go with them', async () => {
    await host.sandbox(['mcp', 'add', '--no-check', 'shared', tag, 'mcp-server-everything']);
    const clients = await Promise.all(Array.from({ length: 10 }, async () => connectTo(host, 'shared')));
    const answers = await Promise.all(
      clients.map(async (client, index) => client.callTool({ name: 'echo', arguments: { message: `m${index}` } })),
    );
    for (const [index, answer] of answers.entries()) expect(JSON.stringify(answer)).toContain(`m${index}`);
    const names = await host.containers();
    expect(new Set(names.filter((name) => /^shared-[0-9a-f]{8}$/.test(name))).size).toBe(10);
    const listed = JSON.parse((await host.sandbox(['mcp', 'ps', 'shared', '--json'])).stdout) as { name: string }[];
    expect(listed.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect((await host.sandbox(['mcp', 'logs', 'shared'])).stdout).toContain('"serverInfo"');
    const ended = Promise.all(clients.map(endOf));
    expect(await host.sandbox(['mcp', 'stop', 'shared'])).toMatchObject({ exitCode: 0 });
    await ended;
    await until('containers gone', async () => (await host.containers()).length === 0);
    expect((await host.sandbox(['mcp', 'logs', 'shared'])).stderr).toContain('SERVER_STOPPED');
    expect((await host.sandbox(['mcp', 'stop', 'none'])).stderr).toContain('SERVER_UNKNOWN');
  });

  verifies(['WR-03'], 'update shows what changes in the tools before it pins', async () => {
    const before = await host.sandbox(['mcp', 'add', 'moving', tag, 'mcp-server-everything']);
    expect(before.exitCode).toBe(0);
    expect(await host.sandbox(['mcp', 'update', 'moving'])).toMatchObject({
      exitCode: 0,
      stdout: 'moving is up to date.\n',
    });
    const server = await cServer();
    // The name comes to mean another server; what is pinned still runs.
    await execa('docker', ['build', '-q', '-t', tag, '-'], {
      input: `FROM ${server}\nENTRYPOINT ["/server"]\n`,
    });
    const pinned = await connectTo(host, 'moving');
    expect((await pinned.listTools()).tools.map(({ name }) => name)).toContain('get-tiny-image');
    await pinned.close();
    const shown = await host.sandbox(['mcp', 'update', 'moving']);
    expect(shown).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^- get-tiny-image$/m) });
    expect(shown.stderr).toMatch(/^~ echo$/m);
    expect(JSON.parse((await host.sandbox(['mcp', 'show', 'moving', '--json'])).stdout)).toMatchObject([
      { id: ((await inspect(image)) as { Id: string }).Id },
    ]);
    expect(await host.sandbox(['mcp', 'update', 'moving', '--yes'])).toMatchObject({ exitCode: 0 });
    const renewed = await connectTo(host, 'moving');
    expect((await renewed.listTools()).tools.map(({ name }) => name)).not.toContain('get-tiny-image');
    await renewed.close();
  });
});
