import { resolve } from 'node:path';

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { goServer, mcpServer, python, rustServer } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { cServer } from './helpers/c-server.ts';
import { GatewayHost, type LoggedEvent } from './helpers/under-policy.ts';

/** The server in Rust takes minutes to build. */
const FULL = process.env['UCP_FULL'] === '1';
const PYTHON = resolve(import.meta.dirname, '../../images/servers/python');

const DENY: Policy['gateway'] = {
  remediate: true,
  mcp: {
    server: {
      tools: {
        '*': { deny_list: ['get-env'], arguments: { deny: [{ name: 'key', regex: 'k-[0-9]+' }] } },
      },
    },
  },
};

/** Every tool, page by page. */
async function toolsOf(client: Client): Promise<readonly string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  return names;
}

/** What came of a call: `ok`, or the rule that refused it. */
async function verdict(client: Client, name: string, text = 'hello'): Promise<unknown> {
  try {
    await client.callTool({ name, arguments: { message: text } });
    return 'ok';
  } catch (error) {
    const { code, data } = error as { code: number; data: { rule: string; event_id: string } };
    expect([code, typeof data.event_id]).toEqual([-32010, 'string']);
    return data.rule;
  }
}

/** What an event says of a call or of what was refused; nothing for others. */
function toldOf({ name, body, attributes, violation }: LoggedEvent): readonly string[] {
  if (name !== 'mcp_tool_call' && name !== 'mcp_violation') return [];
  const said = { ...body, ...attributes };
  const how = violation === undefined ? [] : [violation.rule, violation.action];
  return [[name, said['mcp.method.name'], said['gen_ai.tool.name'], ...how].join(' ')];
}

describe('the gateway before a stdio server', () => {
  let host: GatewayHost;
  let servers: Readonly<Record<'typescript' | 'c', readonly string[]>>;
  let others: Readonly<Record<string, readonly string[]>>;

  beforeAll(async () => {
    host = new GatewayHost();
    await host.ready();
    servers = { typescript: [await mcpServer(), 'mcp-server-everything'], c: [await cServer()] };
  });
  // With a time limit of its own: where they are not made yet, this takes minutes.
  beforeAll(async () => {
    others = {
      python: ['-v', `${PYTHON}:/app`, await python(), 'python3', '/app/server.py'],
      go: [await goServer()],
      ...(FULL ? { rust: [await rustServer()] } : {}),
    };
  }, 1_800_000);
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(
    ['GW-01', 'MCP-01', 'MCP-03'],
    'decides the same for servers in TypeScript, Python, Go and C: hidden, refused, argued about, and told of',
    async () => {
      const flags = await host.flags(DENY);
      const seen: Record<string, unknown> = {};
      for (const [language, server] of Object.entries({ ...servers, ...others })) {
        const open = await host.connect(...server);
        expect(await toolsOf(open.client)).toEqual(expect.arrayContaining(['echo', 'get-env']));
        await open.client.close();
        const before = (await host.gatewayEvents()).length;
        const { client, stderr } = await host.connect(...flags, ...server);
        const tools = await toolsOf(client);
        expect(tools).toContain('echo');
        expect(tools).not.toContain('get-env');
        const verdicts = [
          await verdict(client, 'echo'),
          await verdict(client, 'get-env'),
          await verdict(client, ' get-env\u00a0'),
          await verdict(client, 'echo', 'my k-123'),
          await verdict(client, 'echo'),
        ];
        expect(stderr()).not.toContain('called "get-env"');
        await client.close();
        const told = async (): Promise<readonly string[]> =>
          (await host.gatewayEvents()).slice(before).flatMap(toldOf).toSorted();
        await until('all events', async () => (await told()).length >= 6);
        seen[language] = { verdicts, told: await told() };
      }
      const denied = '/gateway/mcp/server/tools/*/deny_list/0';
      const pattern = '/gateway/mcp/server/tools/*/arguments/deny/0';
      const { typescript, ...rest } = seen;
      expect(typescript).toEqual({
        verdicts: ['ok', denied, denied, pattern, 'ok'],
        // Hidden once and refused three times; a call for each that passed.
        told: [
          'mcp_tool_call tools/call echo',
          'mcp_tool_call tools/call echo',
          `mcp_violation tools/call  get-env\u00a0 ${denied} blocked`,
          `mcp_violation tools/call echo ${pattern} blocked`,
          `mcp_violation tools/call get-env ${denied} blocked`,
          `mcp_violation tools/list get-env ${denied} blocked`,
        ],
      });
      for (const [language, of] of Object.entries(rest)) expect([language, of]).toEqual([language, typescript]);
    },
  );

  verifies(['GW-01', 'MCP-04'], 'holds for resources and prompts by every method', async () => {
    const client0 = (await host.connect(...servers.typescript)).client;
    const { resources } = await client0.listResources();
    const { prompts } = await client0.listPrompts();
    await client0.close();
    const [uri, prompt] = [resources[0]?.uri ?? '', prompts[0]?.name ?? ''];
    const flags = await host.flags({
      remediate: true,
      mcp: { server: { resources: { '*': { deny_list: [uri] } }, prompts: { '*': { deny_list: [prompt] } } } },
    });
    const { client } = await host.connect(...flags, ...servers.typescript);
    expect((await client.listResources()).resources.map((one) => one.uri)).not.toContain(uri);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain(prompt);
    const refused = expect.objectContaining({ code: -32010 }) as object;
    await expect(client.readResource({ uri })).rejects.toEqual(refused);
    await expect(client.subscribeResource({ uri })).rejects.toEqual(refused);
    await expect(client.getPrompt({ name: prompt })).rejects.toEqual(refused);
    const argument = { name: 'x', value: '' };
    await expect(client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument })).rejects.toEqual(refused);
    await client.close();
  });

  verifies(['MCP-08'], 'tells of what a server asks of a client, and lets it be answered', async () => {
    const { client } = await host.connect(...(await host.flags(DENY)), ...servers.typescript);
    const asked = { name: 'trigger-sampling-request', arguments: { prompt: 'say' } };
    expect(JSON.stringify(await client.callTool(asked))).toContain('sampled');
    await client.close();
    await until('an event', async () => (await host.gatewayEvents()).some(({ name }) => name === 'mcp_sampling'));
  });

  verifies(['MCP-08'], 'refuses what policy does not let a server ask, and the server hears of it', async () => {
    const methods = { '*': { deny_list: ['sampling/*'] } };
    const flags = await host.flags({ remediate: true, mcp: { server: { methods, pin_tools: true } } });
    const { client } = await host.connect(...flags, ...servers.typescript);
    const asked = { name: 'trigger-sampling-request', arguments: { prompt: 'say' } };
    const came = await client.callTool(asked).catch(String);
    expect(JSON.stringify(came)).not.toContain('sampled');
    expect(JSON.stringify(came)).toContain('-32010');
    expect(await toolsOf(client)).toEqual(await toolsOf(client));
    await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
    await client.close();
    const rule = '/gateway/mcp/server/methods/*/deny_list/0';
    await until('an event', async () => (await host.gatewayEvents()).some(({ violation }) => violation?.rule === rule));
  });

  verifies(['GW-02', 'MCP-06'], 'changes no byte when it observes, nor when policy wants no gateway', async () => {
    const said = [
      '{ "jsonrpc":"2.0",  "id":1,"method":"tools/list","params":{"cursor":"2"} }\r\n',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-env"}}\n',
      'no message\n{"jsonrpc":"2.0","id":3,"method":"ping","method":"ping"}\n',
    ].join('');
    const run = (...flags: readonly string[]): ReturnType<GatewayHost['sandbox']> =>
      host.sandbox(['run', ...flags, ...servers.c, 'Server ready'], { stdin: 'pipe', input: said });
    const plain = await run('-i');
    expect(plain.stdout.split('\n')).toHaveLength(5);
    const observed = await run('--mcp', 'stdio', ...(await host.flags({ ...DENY, remediate: false })));
    const without = await run('--mcp', 'stdio');
    expect(observed.stdout).toBe(plain.stdout);
    expect(without.stdout).toBe(plain.stdout);
  });

  verifies(['GW-02', 'MCP-06'], 'keeps what is not the protocol off the client when it enforces', async () => {
    const said = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"get-env"}}\n',
      'nonsense\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n',
    ].join('');
    const flags = await host.flags(DENY);
    const ran = await host.sandbox(['run', '--mcp', 'stdio', ...flags, ...servers.c, 'Server ready'], {
      stdin: 'pipe',
      input: said,
    });
    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { id: 1, error: { code: -32010, data: { rule: '/gateway/mcp' } } },
      { id: 2, result: {} },
    ]);
    expect(ran.stderr).toContain('Server ready');
    expect(ran.stderr).not.toContain('called');
    await until('an event', async () => (await host.gatewayEvents()).some(({ name }) => name === 'mcp_noise'));
  });

  verifies(['GW-03', 'CP-04'], 'is refused by name where nothing says that the protocol is spoken', async () => {
    const flags = await host.flags(DENY);
    const refused = await host.sandbox(['run', '-i', ...flags, ...servers.c]);
    expect(refused).toMatchObject({ exitCode: 125, stdout: '' });
    expect(refused.stderr).toMatch(/gateway.*--mcp stdio/s);
    expect(await host.sandbox(['run', '-i', '--allow-degraded=gateway', ...flags, ...servers.c])).toMatchObject({
      exitCode: 0,
    });
  });
});
