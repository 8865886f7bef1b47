import { join, resolve } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { mcpServer } from '../images/index.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('a published MCP server behind ucp-sandbox', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await mcpServer();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['RUN-03', 'MCP-06', 'LC-01'], 'serves the official client and is gone when the client closes', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        join(resolve(import.meta.dirname, '../..'), 'bin/ucp-sandbox.js'),
        'run',
        '-i',
        '--mcp',
        'stdio',
        image,
        'mcp-server-everything',
      ],
      env: { ...host.env },
    });
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    const big = 'x'.repeat(1_000_000);
    const answer = await client.callTool({ name: 'echo', arguments: { message: big } });
    expect(JSON.stringify(answer)).toContain(big);
    await client.close();
    await until('container gone', async () => (await host.containers()).length === 0, 5_000);
  });
});
