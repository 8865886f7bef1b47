/** Twenty calls at once; each does one thing of every kind on behalf of its own argument. */
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, promises } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import vm from 'node:vm';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const listener = net.createServer((socket) => socket.end());
await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
const { port } = listener.address();

const server = new McpServer({ name: 'causes', version: '1.0.0' });
server.tool('work', { mark: z.string() }, async ({ mark }) => {
  await pause(Math.random() * 20);
  await promisify(execFile)('/bin/echo', [mark]);
  execFileSync('/bin/true', [mark]);
  await new Promise((resolve) => net.connect({ port, host: '127.0.0.1', mark }).on('close', resolve).resume());
  vm.runInThisContext(`'${mark}'`);
  new vm.Script(`'${mark}'`).runInThisContext();
  new Function('return 1')();
  const file = join(tmpdir(), `causes-${process.pid}-${mark}`);
  await promises.writeFile(file, mark);
  appendFileSync(file, mark);
  await promises.rm(file);
  return { content: [{ type: 'text', text: mark }] };
});

const [mine, theirs] = InMemoryTransport.createLinkedPair();
await server.connect(theirs);
const client = new Client({ name: 'causes', version: '1.0.0' });
await client.connect(mine);
const marks = Array.from({ length: 20 }, (_, index) => `mark-${index}`);
await Promise.all(marks.map((mark) => client.callTool({ name: 'work', arguments: { mark } })));
await client.close();
listener.close();
execFileSync('/bin/true', ['outside']);
