/** `asks.mjs ERA`: a server's tools ask the client for a model's answer and for input, in the manner of each era. */
const [era] = process.argv.slice(2);
const refused = ({ code }) => `refused ${code}`;

async function legacy() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { CreateMessageRequestSchema, ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const server = new McpServer({ name: 'asks', version: '1.0.0' });
  server.tool('ask', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'hi' } }];
    const sampled = server.server.createMessage({ messages, maxTokens: 9 });
    const said = await sampled.then(({ content }) => content.text, refused);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const asked = server.server.elicitInput({ message: 'who?', requestedSchema });
    const action = await asked.then((answer) => answer.action, refused);
    return { content: [{ type: 'text', text: `${said} ${action}` }] };
  });
  const client = new Client({ name: 'asks', version: '1.0.0' }, { capabilities: { sampling: {}, elicitation: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, async () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'sampled' },
  }));
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { name: 'me' } }));
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  await client.connect(mine);
  return client;
}

async function modern() {
  const { createServer } = await import('node:http');
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { createMcpHandler, inputRequired, McpServer } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  const { z } = await import('zod');
  const make = () => {
    const server = new McpServer({ name: 'asks', version: '1.0.0' });
    server.registerTool('ask', { inputSchema: z.object({}) }, async (_, ctx) => {
      const answers = ctx.mcpReq.inputResponses;
      const { action, content } = answers?.who ?? {};
      if (answers !== undefined) return { content: [{ type: 'text', text: `answered ${action} ${content?.name}` }] };
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'who?', requestedSchema }) } });
    });
    return server;
  };
  const http = createServer(toNodeHandler(createMcpHandler(make)));
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const options = { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } };
  const client = new Client({ name: 'asks', version: '1.0.0' }, options);
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'me' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/mcp`)));
  return client;
}

const client = await { legacy, modern }[era]();
const called = client.callTool({ name: 'ask', arguments: {} });
console.log(await called.then(({ content }) => content[0].text, refused));
await client.close();
process.exit(0);
