import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** A server with one of each that is denied and one that isn't. */
export function makeServer() {
  const server = new McpServer({ name: 'demo', version: '1.0.0' });
  const text = { text: z.string() };
  server.tool('echo', text, async ({ text }) => ({ content: [{ type: 'text', text }] }));
  server.tool('danger', text, async ({ text }) => ({ content: [{ type: 'text', text: `DANGER ${text}` }] }));
  server.resource('open', 'mem://open', async (uri) => ({ contents: [{ uri: uri.href, text: 'open' }] }));
  server.resource('secret', 'mem://secret', async (uri) => ({ contents: [{ uri: uri.href, text: 'secret' }] }));
  server.resource('user', new ResourceTemplate('user://{id}', { list: undefined }), async (uri) => ({
    contents: [{ uri: uri.href, text: 'user' }],
  }));
  server.prompt('greet', () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] }));
  server.prompt('trick', () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'trick' } }] }));
  return server;
}

if (process.argv[2] === 'serve') makeServer().connect(new StdioServerTransport());
