import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/core/json.ts';
import { Collector } from './helpers/collector.ts';
import { packages } from './helpers/packages.ts';
import { writePolicy } from './helpers/policy.ts';
import { PRELOAD } from './helpers/run.ts';

/** A server program, one tool to deny, and one call that must still work. */
interface Case {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly denied: string;
  readonly call?: { readonly name: string; readonly arguments: Record<string, unknown> };
}

const CASES: readonly Case[] = [
  {
    name: 'server-everything',
    script: 'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
    args: ['stdio'],
    denied: 'get-sum',
    call: { name: 'echo', arguments: { message: 'hello' } },
  },
  {
    name: 'server-filesystem',
    script: 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
    args: ['/tmp'],
    denied: 'write_file',
    call: { name: 'list_allowed_directories', arguments: {} },
  },
  {
    name: 'server-memory',
    script: 'node_modules/@modelcontextprotocol/server-memory/dist/index.js',
    denied: 'delete_entities',
    call: { name: 'search_nodes', arguments: { query: 'none' } },
  },
  {
    name: 'server-sequential-thinking',
    script: 'node_modules/@modelcontextprotocol/server-sequential-thinking/dist/index.js',
    denied: 'sequentialthinking',
  },
  { name: '@playwright/mcp (bundled SDK)', script: 'node_modules/@playwright/mcp/cli.js', denied: 'browser_navigate' },
  {
    name: 'fastmcp',
    script: 'programs/fastmcp-server.mjs',
    denied: 'danger',
    call: { name: 'echo', arguments: { text: 'hello' } },
  },
];

let root = '';
beforeAll(async () => {
  root = await packages('servers');
});

/** Talks to the server of `one` with the sensor in it, or without. */
async function talk<Result>(
  one: Case,
  env: Record<string, string>,
  ask: (client: Client) => Promise<Result>,
): Promise<Result> {
  const flags = env['UCP_POLICY_FILE'] === undefined ? [] : ['--import', PRELOAD];
  const client = new Client({ name: 'test', version: '1.0.0' });
  const args = [...flags, join(root, one.script), ...(one.args ?? [])];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}

async function toolNames(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name);
}

describe.each(CASES.map((one) => [one.name, one] as const))('%s', (_, one) => {
  test('a denied tool is hidden, refused and told; all the others stay and work', async () => {
    await using collector = await Collector.listening();
    const policyFile = join(collector.directory, 'policy.json');
    const server: JsonObject = { tools: { '*': { deny_list: [one.denied] } } };
    writePolicy(policyFile, { js_sensor: { remediate: true, mcp: { server } } });
    const plain = await talk(one, {}, toolNames);
    expect(plain).toContain(one.denied);
    const env = { UCP_POLICY_FILE: policyFile, UCP_SENSOR_SOCKET: collector.socket };
    await talk(one, env, async (client) => {
      expect(await toolNames(client)).toEqual(plain.filter((name) => name !== one.denied));
      const refused = client.callTool({ name: one.denied, arguments: {} });
      await expect(refused).rejects.toMatchObject({ code: -32010, data: { policy: 'test' } });
      const allowed = one.call === undefined ? undefined : await client.callTool(one.call);
      expect(allowed?.isError).not.toBe(true);
    });
    await collector.drained();
    const told = collector.named('mcp_violation').map((line) => line.attributes?.['mcp.method.name']);
    expect(told).toEqual(['tools/list', 'tools/call']);
  });
});

test('server-everything: a denied resource and a denied prompt', async () => {
  await using collector = await Collector.listening();
  const policyFile = join(collector.directory, 'policy.json');
  const [everything] = CASES;
  if (everything === undefined) return;
  const before = await talk(everything, {}, async (client) => ({
    uri: (await client.listResources()).resources[0]?.uri ?? '',
    prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  }));
  const server: JsonObject = {
    resources: { '*': { deny_list: [before.uri] } },
    prompts: { '*': { deny_list: ['simple-prompt'] } },
  };
  writePolicy(policyFile, { js_sensor: { remediate: true, mcp: { server } } });
  const env = { UCP_POLICY_FILE: policyFile, UCP_SENSOR_SOCKET: collector.socket };
  await talk(everything, env, async (client) => {
    expect((await client.listResources()).resources.map(({ uri }) => uri)).not.toContain(before.uri);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
      before.prompts.filter((name) => name !== 'simple-prompt'),
    );
    await expect(client.readResource({ uri: before.uri })).rejects.toMatchObject({ code: -32010 });
    await expect(client.getPrompt({ name: 'simple-prompt' })).rejects.toMatchObject({ code: -32010 });
  });
});
