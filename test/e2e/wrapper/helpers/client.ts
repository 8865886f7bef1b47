import { join, resolve } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import type { TestHost } from '../../helpers/host.ts';

/** The built `ucp-sandbox`. */
const PROGRAM = join(resolve(import.meta.dirname, '../../../..'), 'bin/ucp-sandbox.js');

/** The official client, connected to a named server. */
export async function connectTo(host: TestHost, name: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', 'run', name],
      env: { ...host.env },
      stderr: 'ignore',
    }),
  );
  return client;
}
