import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { busybox, mcpServer } from '../../images/index.ts';
import { pythonProgram } from '../../python.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { connectTo, running } from './helpers/http-run.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const DENY: Policy['gateway'] = {
  remediate: true,
  mcp: { server: { tools: { '*': { deny_list: ['get-env'] } } } },
};
const ROOT = resolve(import.meta.dirname, '../../..');
const DENIED = '/gateway/mcp/server/tools/*/deny_list/0';
const RPC = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

describe('a stdio server behind --serve', () => {
  let host: GatewayHost;
  let image: string;
  let flags: readonly string[];

  beforeAll(async () => {
    host = new GatewayHost();
    await host.ready();
    image = await mcpServer();
    flags = await host.flags(DENY);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const everything = (...more: readonly string[]): readonly string[] => [
    'run',
    '--serve',
    '0',
    ...flags,
    ...more,
    image,
    'mcp-server-everything',
  ];

  verifies(
    ['GW-08', 'GW-01'],
    'is judged, asks back, tells of progress; each session has a sandbox of its own',
    async () => {
      await using run = await running(host, everything('--name', 'served'));
      const clients = await Promise.all([1, 2].map(async () => connectTo(run.url)));
      expect((await host.containers()).filter((name) => /^served-[0-9a-f]{8}$/.test(name))).toHaveLength(2);
      for (const client of clients) {
        const tools = (await client.listTools()).tools.map(({ name }) => name);
        expect([tools.includes('echo'), tools.includes('get-env')]).toEqual([true, false]);
        const refused = client.callTool({ name: 'get-env', arguments: {} });
        await expect(refused).rejects.toMatchObject({ code: -32010, data: { rule: DENIED } });
        const asked = { name: 'trigger-sampling-request', arguments: { prompt: 'say' } };
        expect(JSON.stringify(await client.callTool(asked))).toContain('sampled');
        let steps = 0;
        const long = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } };
        await client.callTool(long, undefined, { onprogress: () => (steps += 1) });
        expect(steps).toBe(4);
      }
      const [first, second] = clients;
      const { transport } = first ?? {};
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await until('one sandbox less', async () => (await host.containers()).length === 1);
      expect(JSON.stringify(await second?.callTool({ name: 'echo', arguments: { message: 'still' } }))).toContain(
        'still',
      );
      for (const client of clients) await client.close();
    },
  );

  verifies(['GW-08'], 'serves the official clients in Python, with sessions and without', async () => {
    await using run = await running(host, everything());
    for (const set of ['mcp1', 'mcp2']) {
      const { stdout } = await execa(await pythonProgram(set), [
        join(ROOT, 'test/e2e/gateway/programs/client.py'),
        run.url,
      ]);
      const { tools, calls } = JSON.parse(stdout) as { tools: readonly string[]; calls: unknown };
      expect([set, tools.includes('echo'), tools.includes('get-env')]).toEqual([set, true, false]);
      expect(calls).toEqual(['ok', [-32010, DENIED], 'ok']);
    }
  });

  verifies(['GW-08'], 'lets in who may, and loopback only unless told otherwise', async () => {
    writeFileSync(host.path('token'), 'a-token-for-this-test-only\n');
    await using run = await running(host, everything('--mcp-token', host.path('token')));
    expect(run.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const bearer = { Authorization: 'Bearer a-token-for-this-test-only' };
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(run.url, { method: 'POST', body: '[]', headers: { ...RPC, ...headers } })).status;
    expect(await status({})).toBe(401);
    expect(await status({ ...bearer, Origin: 'https://evil.example' })).toBe(403);
    expect(await status(bearer)).toBe(400);
    expect(await host.containers()).toEqual([]);
    const client = await connectTo(run.url, bearer);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  verifies(['GW-08'], 'that ends is told of to who waits, and to the next by a session that is gone', async () => {
    const script = 'read line; echo "no key, no service" >&2; exit 7';
    await using run = await running(host, ['run', '--serve', '0', await busybox(), 'sh', '-c', script]);
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    const answer = await fetch(run.url, { method: 'POST', headers: RPC, body: JSON.stringify(initialize) });
    const said = await answer.text();
    expect(said).toMatch(/exit code 7.*no key, no service/);
    const session = answer.headers.get('mcp-session-id') ?? '';
    const later = await fetch(run.url, {
      method: 'POST',
      headers: { ...RPC, 'Mcp-Session-Id': session },
      body: JSON.stringify({ ...initialize, method: 'ping' }),
    });
    expect(later.status).toBe(404);
  });

  verifies(['GW-08'], 'ends with its front end, and its sandboxes with it', async () => {
    const run = await running(host, everything());
    const client = await connectTo(run.url);
    expect(await host.containers()).toHaveLength(1);
    await run[Symbol.asyncDispose]();
    await until('no sandbox', async () => (await host.containers()).length === 0);
    await client.close();
    const bad = await host.sandbox(['run', '--serve', '0', '-p', '80', image]);
    expect(bad).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('--publish') as string });
  });
});
