import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** Modern clients keep lists and resources that long. */
const KEPT = { ttlMs: 60_000, scope: 'private' };

let description = 'says it again';

/** What the tool echo of servers that are made from now on is said to be. */
export function describe(text) {
  description = text;
}

/** A server with one of each that is denied and one that isn't. */
export function makeServer() {
  const server = new McpServer(
    { name: 'demo', version: '1.0.0' },
    { cacheHints: { 'tools/list': KEPT, 'resources/read': KEPT } },
  );
  const inputSchema = z.object({ text: z.string() });
  const text = (text) => ({ content: [{ type: 'text', text }] });
  const contents = (text) => async (uri) => ({ contents: [{ uri: uri.href, text }] });
  const messages = (text) => () => ({ messages: [{ role: 'user', content: { type: 'text', text } }] });
  server.registerTool('echo', { description, inputSchema }, async (args) => text(args.text));
  server.registerTool('danger', { inputSchema }, async (args) => text(`DANGER ${args.text}`));
  server.registerResource('open', 'mem://open', {}, contents('open'));
  server.registerResource('secret', 'mem://secret', {}, contents('secret'));
  server.registerResource('user', new ResourceTemplate('user://{id}', { list: undefined }), {}, contents('user'));
  server.registerPrompt('greet', {}, messages('hi'));
  server.registerPrompt('trick', {}, messages('trick'));
  return server;
}

if (process.argv[2] === 'serve') makeServer().connect(new StdioServerTransport());
if (process.argv[2] === 'serve-stdio') serveStdio(makeServer);
