/** Reads commands line by line and answers each with one line; says `changed` when told that the tools have changed. */
import { createInterface } from 'node:readline';

const [line, via] = process.argv.slice(2);

async function v1() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { makeServer } = await import('./v1-server.mjs');
  const client = new Client({ name: 'live', version: '1.0.0' });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => console.log('changed'));
  if (via === 'stdio') {
    const args = [new URL('v1-server.mjs', import.meta.url).pathname, 'serve'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    return { client };
  }
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = makeServer();
  await server.connect(theirs);
  await client.connect(mine);
  return { client, server };
}

async function v2() {
  const { createServer } = await import('node:http');
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  const { describe, makeServer } = await import('./v2-server.mjs');
  const http = createServer(toNodeHandler(createMcpHandler(makeServer)));
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const client = new Client({ name: 'live', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  client.setNotificationHandler('notifications/tools/list_changed', () => console.log('changed'));
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/mcp`)));
  return { client, describe };
}

const { client, server, describe } = await { v1, v2 }[line]();
const commands = {
  fresh: async () => (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map((tool) => tool.name),
  list: async () => (await client.listTools()).tools.map((tool) => tool.name),
  read: async (uri) => (await client.readResource({ uri })).contents[0].text,
  call: async (name) => (await client.callTool({ name, arguments: { text: 'x' } })).content[0].text,
  calls: async (name, count) => {
    let refused = 0;
    for (let call = 0; call < Number(count); call++)
      await client.callTool({ name, arguments: { text: 'x' } }).catch(() => (refused += 1));
    return refused;
  },
  describe: async (text) => {
    if (server === undefined) describe(text);
    else server._registeredTools.echo.update({ description: text });
    return 'described';
  },
};
console.log('ready');
for await (const command of createInterface({ input: process.stdin })) {
  const [name, ...args] = command.split(' ');
  try {
    console.log(JSON.stringify(await commands[name](...args)));
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, data: error.data }));
  }
}
process.exit(0);
