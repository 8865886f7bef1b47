/** `ai.mjs SERVER`: the MCP client of Vercel's AI SDK and a server over stdio. */
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';

const transport = new Stdio({ command: process.execPath, args: [process.argv[2], 'serve'] });
const client = await createMCPClient({ transport });
const tools = await client.tools();
const call = async (name) => {
  try {
    const { content } = await client.callTool({ name, arguments: { text: 'x' } });
    return content[0].text;
  } catch (error) {
    return { code: error.code, data: error.data };
  }
};
console.log(JSON.stringify({ tools: Object.keys(tools), danger: await call('danger'), echo: await call('echo') }));
await client.close();
