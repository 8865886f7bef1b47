/** `v1.mjs TRANSPORT`: a client and a server of SDK 1.x talk over it. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

import { dialog } from './dialog.mjs';
import { makeServer } from './v1-server.mjs';

const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler).listen(0, '127.0.0.1', () =>
      resolve({ server, url: new URL(`http://127.0.0.1:${server.address().port}/mcp`) }),
    );
  });

const transports = {
  async memory() {
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    await makeServer().connect(theirs);
    return { transport: mine };
  },
  async stdio() {
    const args = [new URL('v1-server.mjs', import.meta.url).pathname, 'serve'];
    return { transport: new StdioClientTransport({ command: process.execPath, args }) };
  },
  'http-sse': () => streamable(false),
  'http-json': () => streamable(true),
  async sse() {
    let theirs;
    const { server, url } = await listen(async (request, response) => {
      if (request.method === 'POST') return theirs.handlePostMessage(request, response);
      theirs = new SSEServerTransport('/messages', response);
      await makeServer().connect(theirs);
    });
    return { transport: new SSEClientTransport(url), server };
  },
};

async function streamable(enableJsonResponse) {
  const theirs = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), enableJsonResponse });
  await makeServer().connect(theirs);
  const { server, url } = await listen((request, response) => theirs.handleRequest(request, response));
  return { transport: new StreamableHTTPClientTransport(url), server };
}

async function main() {
  const { transport, server } = await transports[process.argv[2]]();
  const client = new Client({ name: 'dialog', version: '1.0.0' });
  await client.connect(transport);
  await dialog(client);
  await client.close();
  server?.closeAllConnections();
  server?.close();
}

main();
