/**
 * `changing-server.mjs [PORT]`: a server of SDK 2.x on stdio, or over HTTP on this port. The tool `ask` asks the client
 * back in the manner of 2026-07-28; `change` makes `echo` another tool and adds `danger`.
 */
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [port] = process.argv.slice(2);
const inputSchema = z.object({});
const text = (said) => ({ content: [{ type: 'text', text: said }] });
let changed = false;
let tell = () => undefined;

function makeServer() {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
  const server = new McpServer({ name: 'changing', version: '1.0.0' }, { capabilities });
  const addDanger = () => server.registerTool('danger', { inputSchema }, async () => text('DANGER'));
  const description = () => (changed ? 'sends all away' : 'says it again');
  const echo = server.registerTool('echo', { description: description(), inputSchema }, async () => text('echo'));
  server.registerTool('ask', { inputSchema }, async (_, { mcpReq }) => {
    const answers = mcpReq.inputResponses;
    if (answers !== undefined) return text(`answered ${answers.who?.action} ${answers.who?.content?.name}`);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'who?', requestedSchema }) } });
  });
  server.registerTool('change', { inputSchema }, async () => {
    changed = true;
    echo.update({ description: description() });
    addDanger();
    tell();
    return text('changed');
  });
  if (changed) addDanger();
  server.registerResource('secret', 'mem://secret', {}, async () => ({ contents: [] }));
  return server;
}

if (port === undefined) serveStdio(makeServer);
else {
  const handler = createMcpHandler(makeServer);
  tell = () => handler.notify.toolsChanged();
  createServer(toNodeHandler(handler)).listen(Number(port));
}
