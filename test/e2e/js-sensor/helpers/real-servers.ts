import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'vitest';

import type { JsonObject } from '../../../../src/core/json.ts';

/** A server program of the set `servers`, what of it to deny, and one call that must still work. */
export interface RealServer {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly denied: { readonly tool: string; readonly resource?: string; readonly prompt?: string };
  readonly call?: { readonly name: string; readonly arguments: Record<string, unknown> };
}

const official = (name: string): string => `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

/** Servers that people run; of each kind that one offers, one is denied. */
export const REAL_SERVERS: readonly RealServer[] = [
  {
    name: 'server-everything',
    script: official('everything'),
    args: ['stdio'],
    denied: {
      tool: 'get-sum',
      resource: 'demo://resource/static/document/architecture.md',
      prompt: 'simple-prompt',
    },
    call: { name: 'echo', arguments: { message: 'hello' } },
  },
  {
    name: 'server-filesystem',
    script: official('filesystem'),
    args: ['/tmp'],
    denied: { tool: 'write_file' },
    call: { name: 'list_allowed_directories', arguments: {} },
  },
  {
    name: 'server-memory',
    script: official('memory'),
    denied: { tool: 'delete_entities', resource: 'memory://knowledge-graph' },
    call: { name: 'search_nodes', arguments: { query: 'none' } },
  },
  {
    name: 'server-sequential-thinking',
    script: official('sequential-thinking'),
    denied: { tool: 'sequentialthinking' },
  },
  {
    name: '@playwright/mcp (bundled SDK)',
    script: 'node_modules/@playwright/mcp/cli.js',
    denied: { tool: 'browser_navigate' },
  },
  {
    name: 'fastmcp',
    script: 'programs/fastmcp-server.mjs',
    denied: { tool: 'danger', resource: 'mem://secret', prompt: 'trick' },
    call: { name: 'echo', arguments: { text: 'hello' } },
  },
];

/** How a server is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

const rule = (name: string | undefined): JsonObject => (name === undefined ? {} : { '*': { deny_list: [name] } });

/** A policy that denies what `one` says, on one side. */
export function denying({ denied }: RealServer, side: 'client' | 'server'): JsonObject {
  const rules = { tools: rule(denied.tool), resources: rule(denied.resource), prompts: rule(denied.prompt) };
  const off = { enable: false };
  return { js_sensor: { remediate: true, mcp: { client: off, server: off, [side]: rules } } };
}

/** Everything that a server lists. */
export interface Offer {
  readonly tools: readonly { readonly name: string }[];
  readonly resources: readonly { readonly uri: string }[];
  readonly prompts: readonly { readonly name: string }[];
}

/** Talks to a server. */
export async function talk<Result>(
  { command, args, env }: Start,
  ask: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore' }));
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}

/** What `client`'s server lists. */
export async function offerOf(client: Client): Promise<Offer> {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    tools: (await client.listTools()).tools,
    resources: resources === undefined ? [] : (await client.listResources()).resources,
    prompts: prompts === undefined ? [] : (await client.listPrompts()).prompts,
  };
}

/** What is denied is in no list and refused; everything else is listed as it was, and one call works. */
export async function expectDenied(client: Client, { denied, call }: RealServer, plain: Offer): Promise<void> {
  expect(await offerOf(client)).toEqual({
    tools: plain.tools.filter(({ name }) => name !== denied.tool),
    resources: plain.resources.filter(({ uri }) => uri !== denied.resource),
    prompts: plain.prompts.filter(({ name }) => name !== denied.prompt),
  });
  const refusal = { code: -32010, data: { rule: expect.stringContaining('/js_sensor/mcp/server/') as unknown } };
  await expect(client.callTool({ name: denied.tool, arguments: {} })).rejects.toMatchObject(refusal);
  if (denied.resource !== undefined)
    await expect(client.readResource({ uri: denied.resource })).rejects.toMatchObject(refusal);
  if (denied.prompt !== undefined)
    await expect(client.getPrompt({ name: denied.prompt })).rejects.toMatchObject(refusal);
  const allowed = call === undefined ? undefined : await client.callTool(call);
  expect(allowed?.isError).not.toBe(true);
}

/** The methods of the violations that {@link expectDenied} brings about: one each. */
export function expectedMethods({ denied }: RealServer): readonly string[] {
  const kinds = [
    ['tools/list', 'tools/call', denied.tool],
    ['resources/list', 'resources/read', denied.resource],
    ['prompts/list', 'prompts/get', denied.prompt],
  ] as const;
  return kinds.flatMap(([list, call, name]) => (name === undefined ? [] : [list, call])).toSorted();
}

/** The names of what is denied that `offer` does not have: a denial of nothing would show nothing. */
export function missing({ denied }: RealServer, offer: Offer): readonly string[] {
  const offered = [
    ...offer.tools.map(({ name }) => name),
    ...offer.resources.map(({ uri }) => uri),
    ...offer.prompts.map(({ name }) => name),
  ];
  return [denied.tool, denied.resource, denied.prompt].flatMap((name) =>
    name === undefined || offered.includes(name) ? [] : [name],
  );
}

/** The script of `one` under `root`. */
export function scriptOf(one: RealServer, root: string): readonly string[] {
  return [join(root, one.script), ...(one.args ?? [])];
}
