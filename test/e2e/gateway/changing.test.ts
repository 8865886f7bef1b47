import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { node } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { packages } from '../js-sensor/helpers/packages.ts';
import { serveHttp } from './helpers/http-run.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const PROGRAM = join(resolve(import.meta.dirname, '../../..'), 'bin/ucp-sandbox.js');
const PORT = 3001;
const RULES = '/gateway/mcp/server';

const DENY = { tools: { '*': { deny_list: ['danger'] } }, resources: { '*': { deny_list: ['mem://secret'] } } };
const REDACT = { '*': { responses: { deny: [{ name: 'who', regex: '^me$' }], action: 'redact' as const } } };

/** What the client of SDK 2.x sees of a server that changes its tools, under each policy. */
const POLICIES: readonly (readonly [string, Policy['gateway'], object, readonly string[]])[] = [
  [
    'tells of them and redacts what is answered',
    { remediate: true, mcp: { server: { ...DENY, methods: REDACT } } },
    {
      before: ['ask', 'change', 'echo: says it again'],
      ask: 'answered accept [redacted:who]',
      echo: 'echo',
      change: 'changed',
      after: ['ask', 'change', 'echo: sends all away'],
      danger: { code: -32010, rule: `${RULES}/tools/*/deny_list/0` },
      again: 'echo',
      secret: { code: -32010, rule: `${RULES}/resources/*/deny_list/0` },
    },
    ['mcp_elicitation', 'mcp_list_changed', 'tool_definition_changed'],
  ],
  [
    'pins them and lets nothing be asked',
    {
      remediate: true,
      mcp: { server: { ...DENY, pin_tools: true, methods: { '*': { deny_list: ['elicitation/*'] } } } },
    },
    {
      before: ['ask', 'change', 'echo: says it again'],
      ask: { code: -32010, rule: `${RULES}/methods/*/deny_list/0` },
      echo: 'echo',
      after: ['ask', 'change'],
      danger: { code: -32010, rule: `${RULES}/tools/*/deny_list/0` },
      again: { code: -32010, rule: `${RULES}/pin_tools` },
    },
    ['mcp_list_changed', 'tool_definition_changed'],
  ],
];

describe('a server of 2026-07-28 that changes its tools and asks back in its results', () => {
  let dir: string;
  let server: readonly string[];

  beforeAll(async () => {
    dir = await packages('v2');
    server = ['-v', `${dir}:/app`, await node(), 'node', '/app/programs/changing-server.mjs'];
  });

  const client = async (host: GatewayHost, ...to: readonly string[]): Promise<unknown> => {
    const { stdout } = await execa(process.execPath, [join(dir, 'programs/changing-client.mjs'), ...to], {
      env: { ...host.env },
      extendEnv: false,
    });
    return JSON.parse(stdout);
  };

  for (const [words, gateway, expected, events] of POLICIES) {
    verifies(['MCP-01', 'MCP-08', 'GW-01', 'GW-05'], `the gateway ${words}, on stdio and over HTTP`, async () => {
      await using host = new GatewayHost();
      await host.ready();
      const flags = await host.flags(gateway);
      const stdio = [process.execPath, PROGRAM, 'run', '--mcp', 'stdio', ...flags, ...server];
      expect(await client(host, ...stdio)).toMatchObject({ version: '2026-07-28', ...expected });
      await using run = await serveHttp(host, PORT, [...flags, ...server, String(PORT)]);
      expect(await client(host, `${run.url}/mcp`)).toMatchObject({ version: '2026-07-28', ...expected });
      const told = async (transport: string): Promise<readonly string[]> =>
        (await host.gatewayEvents()).filter(({ body }) => body['transport'] === transport).map(({ name }) => name);
      for (const transport of ['stdio', 'http']) {
        await until(`events of ${transport}`, async () => {
          const names = await told(transport);
          return events.every((name) => names.includes(name));
        });
      }
    });
  }
});
