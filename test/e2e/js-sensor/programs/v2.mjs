/** `v2.mjs TRANSPORT [auto]`: a client and a server of SDK 2.x talk over it; `auto` negotiates the modern era. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';

import { dialog } from './dialog.mjs';
import { makeServer } from './v2-server.mjs';

const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler).listen(0, '127.0.0.1', () =>
      resolve({ server, url: new URL(`http://127.0.0.1:${server.address().port}/mcp`) }),
    );
  });

const spawned = (mode) => {
  const args = [new URL('v2-server.mjs', import.meta.url).pathname, mode];
  return { transport: new StdioClientTransport({ command: process.execPath, args }) };
};

async function served(handler) {
  const { server, url } = await listen(handler);
  return { transport: new StreamableHTTPClientTransport(url), server };
}

async function sessions(enableJsonResponse) {
  const theirs = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), enableJsonResponse });
  await makeServer().connect(theirs);
  return served((request, response) => theirs.handleRequest(request, response));
}

const transports = {
  async memory() {
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    await makeServer().connect(theirs);
    return { transport: mine };
  },
  stdio: () => spawned('serve'),
  'serve-stdio': () => spawned('serve-stdio'),
  'http-sse': () => sessions(false),
  'http-json': () => sessions(true),
  'handler-json': () => served(toNodeHandler(createMcpHandler(makeServer, { responseMode: 'auto' }))),
  'handler-sse': () => served(toNodeHandler(createMcpHandler(makeServer, { responseMode: 'sse' }))),
};

async function main() {
  const { transport, server } = await transports[process.argv[2]]();
  const mode = process.argv[3] ?? 'legacy';
  const client = new Client({ name: 'dialog', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  await dialog(client, { v2: true });
  await client.close();
  server?.closeAllConnections();
  server?.close();
}

main();
