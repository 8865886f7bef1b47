/** A client with its own server, which has a shell run what the tool is told; two calls at once. `serve`: the server. */
import { execFile, execFileSync } from 'node:child_process';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const run = (file, args) => new Promise((resolve) => execFile(file, args, () => resolve()));

if (process.argv[2] === 'serve') {
  const server = new McpServer({ name: 'spawner', version: '1.0.0' });
  server.tool('run', { mark: z.string() }, async ({ mark }) => {
    await run('/bin/sh', [
      '-c',
      `/bin/busybox cp /bin/busybox /tmp/denied-${mark}; /tmp/denied-${mark} true; (sleep 0.1; /bin/busybox cat /dev/null) & wait; :`,
    ]);
    // Without a shell: the server's own child is what is refused.
    await run(`/tmp/denied-${mark}`, ['direct']).catch(() => undefined);
    execFileSync('/bin/echo', [mark]);
    return { content: [{ type: 'text', text: mark }] };
  });
  await server.connect(new StdioServerTransport());
} else {
  const client = new Client({ name: 'spawner', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.argv[1], 'serve'] }));
  await Promise.all(['one', 'two'].map((mark) => client.callTool({ name: 'run', arguments: { mark } })));
  await client.close();
}
