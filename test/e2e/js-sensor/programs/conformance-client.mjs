/** The client under test of the conformance suite: its last argument is the server's URL. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const capabilities = { elicitation: { form: { applyDefaults: true } } };
const client = new Client({ name: 'conformance', version: '1.0.0' }, { capabilities });
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv.at(-1))));
const { tools } = await client.listTools();
for (const tool of tools) {
  const numbers = Object.keys(tool.inputSchema.properties ?? {}).map((name, index) => [name, index + 1]);
  await client.callTool({ name: tool.name, arguments: Object.fromEntries(numbers) });
}
await client.close();
