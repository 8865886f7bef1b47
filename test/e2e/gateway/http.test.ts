import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { mcpServer } from '../../images/index.ts';
import { pythonProgram } from '../../python.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { cServer } from './helpers/c-server.ts';
import { connectTo, serveHttp } from './helpers/http-run.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const DENY: Policy['gateway'] = {
  remediate: true,
  mcp: {
    server: {
      tools: { '*': { deny_list: ['get-env'], arguments: { deny: [{ name: 'key', regex: 'k-[0-9]+' }] } } },
    },
  },
};
const ROOT = resolve(import.meta.dirname, '../../..');
const DENIED = '/gateway/mcp/server/tools/*/deny_list/0';
const PATTERN = '/gateway/mcp/server/tools/*/arguments/deny/0';

/** Port in the container, and the server's two ways to speak HTTP with the path of each. */
const PORT = 3001;
const WAYS = { streamableHttp: '/mcp', sse: '/sse' } as const;

describe('the gateway before a server that speaks HTTP', () => {
  let host: GatewayHost;
  let image: string;

  beforeAll(async () => {
    host = new GatewayHost();
    await host.ready();
    image = await mcpServer();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const server = (way: keyof typeof WAYS): readonly string[] => [
    '-e',
    `PORT=${PORT}`,
    image,
    'mcp-server-everything',
    way,
  ];

  verifies(
    ['GW-05', 'MCP-01', 'MCP-03'],
    'decides over Streamable HTTP and HTTP+SSE as it does over stdio: hidden, refused, argued about, told of',
    async () => {
      const flags = await host.flags(DENY);
      for (const way of ['streamableHttp', 'sse'] as const) {
        await using run = await serveHttp(host, PORT, [...flags, ...server(way)]);
        const client = await connectTo(`${run.url}${WAYS[way]}`);
        const tools = (await client.listTools()).tools.map(({ name }) => name);
        expect([tools.includes('echo'), tools.includes('get-env')]).toEqual([true, false]);
        const verdict = async (name: string, message: string): Promise<unknown> =>
          client.callTool({ name, arguments: { message } }).then(
            () => 'ok',
            (error: { data: { rule: string } }) => error.data.rule,
          );
        expect([
          await verdict('echo', 'hello'),
          await verdict('get-env', ''),
          await verdict(' get-env\u00a0', ''),
          await verdict('echo', 'my k-123'),
          await verdict('echo', 'hello'),
        ]).toEqual(['ok', DENIED, DENIED, PATTERN, 'ok']);
        // The stream from server to client works both ways.
        const asked = { name: 'trigger-sampling-request', arguments: { prompt: 'say' } };
        expect(JSON.stringify(await client.callTool(asked))).toContain('sampled');
        await client.close();
      }
      const told = async (transport: string): Promise<readonly unknown[]> =>
        (await host.gatewayEvents())
          .filter(({ body }) => body['transport'] === transport)
          .map(({ name, violation }) => violation?.rule ?? name);
      for (const transport of ['http', 'sse']) {
        await until(
          'all calls',
          async () => (await told(transport)).filter((one) => one === 'mcp_tool_call').length === 3,
        );
        const rules = await told(transport);
        expect(rules.filter((rule) => rule === DENIED)).toHaveLength(3);
        expect(rules.filter((rule) => rule === PATTERN)).toHaveLength(1);
        expect(rules).toContain('mcp_sampling');
      }
    },
  );

  verifies(
    ['GW-05', 'MCP-08'],
    'refuses what policy does not let a server ask, and the server hears of it, over both transports',
    async () => {
      const methods = { '*': { deny_list: ['sampling/*'] } };
      const flags = await host.flags({ remediate: true, mcp: { server: { methods } } });
      for (const way of ['streamableHttp', 'sse'] as const) {
        await using run = await serveHttp(host, PORT, [...flags, ...server(way)]);
        const client = await connectTo(`${run.url}${WAYS[way]}`);
        const asked = { name: 'trigger-sampling-request', arguments: { prompt: 'say' } };
        const came = JSON.stringify(await client.callTool(asked).catch(String));
        expect([way, came.includes('sampled'), came.includes('-32010')]).toEqual([way, false, true]);
        await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
        await client.close();
      }
    },
  );

  verifies(
    ['GW-05', 'GW-01'],
    'decides the same for the official clients in Python, and for a server in C',
    async () => {
      const flags = await host.flags(DENY);
      const seen: unknown[] = [];
      for (const [path, args, sets] of [
        ['/mcp', server('streamableHttp'), ['mcp1', 'mcp2']],
        ['/sse', server('sse'), ['mcp1']],
        ['/any', [await cServer(), String(PORT)], ['mcp2']],
      ] as const) {
        await using run = await serveHttp(host, PORT, [...flags, ...args]);
        for (const set of sets) {
          const program = join(ROOT, 'test/e2e/gateway/programs/client.py');
          const { stdout } = await execa(await pythonProgram(set), [program, `${run.url}${path}`]);
          const { tools, calls } = JSON.parse(stdout) as { tools: readonly string[]; calls: unknown };
          seen.push([tools.includes('echo'), tools.includes('get-env'), calls]);
        }
      }
      expect(seen).toEqual(Array.from({ length: 4 }, () => [true, false, ['ok', [-32010, DENIED], 'ok']]));
    },
  );

  verifies(
    ['GW-06', 'MCP-05'],
    'lets in who may: own addresses, own pages, the token; and no other way in is published',
    async () => {
      const token = 'a-token-for-this-test-only';
      writeFileSync(host.path('token'), `${token}\n`);
      const flags = ['--mcp-token', host.path('token'), ...(await host.flags(DENY))];
      await using run = await serveHttp(host, PORT, ['--name', 'ucp-gw-token', ...flags, ...server('streamableHttp')]);
      const status = async (headers: Record<string, string>): Promise<number> =>
        (await fetch(`${run.url}/mcp`, { headers })).status;
      const bearer = { Authorization: `Bearer ${token}` };
      expect(await status({})).toBe(401);
      expect(await status({ ...bearer, Origin: 'https://evil.example' })).toBe(403);
      // The server itself answers: a session is missing.
      expect(await status(bearer)).toBe(400);
      const client = await connectTo(`${run.url}/mcp`, bearer);
      expect((await client.listTools()).tools.length).toBeGreaterThan(5);
      await client.close();
      const inspected = await host.sandbox(['inspect', 'ucp-gw-token']);
      expect(inspected.stdout).not.toContain(token);
      expect(inspected.stdout).toMatch(/"PortBindings": (?:\{\}|null)/);
    },
  );

  verifies(['GW-06'], 'needs a network of the sandbox alone', async () => {
    for (const flags of [
      ['--network', 'none'],
      ['--isolation', 'pid'],
    ]) {
      const refused = await host.sandbox(['run', '--mcp', `http:${PORT}`, ...flags, image]);
      expect(refused).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('--mcp http') as string });
    }
  });
});
