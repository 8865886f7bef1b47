/**
 * `conformance-server.mjs [PORT]`: a server with everything that the conformance suite asks of one, on stdio or over
 * Streamable HTTP at this port.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

import { answers, PROMPTS, TOOLS } from './conformance-offers.mjs';

const [port] = process.argv.slice(2);
const SCHEMAS = Object.fromEntries(
  Object.values(types)
    .filter((type) => type?.shape?.method?.value !== undefined)
    .map((type) => [type.shape.method.value, type]),
);
const RESULTS = {
  'sampling/createMessage': types.CreateMessageResultSchema,
  'elicitation/create': types.ElicitResultSchema,
};

/** Who calls a tool, in the terms of the offers. */
const calling = ({ _meta, sendNotification, sendRequest }) => ({
  progressToken: _meta?.progressToken,
  tell: (method, params) => sendNotification({ method, params }),
  ask: (method, params) => sendRequest({ method, params }, RESULTS[method]),
});

const unknown = (uri) => new types.McpError(-32002, 'Resource not found', { uri });

function makeServer() {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} };
  const server = new Server({ name: 'conformance', version: '1.0.0' }, { capabilities });
  for (const [method, answer] of Object.entries(answers(TOOLS, PROMPTS, unknown))) {
    server.setRequestHandler(SCHEMAS[method], ({ params }, extra) => answer(params, calling(extra)));
  }
  return server;
}

const transports = new Map();

async function transportOf(request) {
  const known = transports.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known;
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await makeServer().connect(transport);
  return transport;
}

if (port === undefined) await makeServer().connect(new StdioServerTransport());
else {
  createServer(async (request, response) => {
    const transport = await transportOf(request);
    await transport.handleRequest(request, response);
  }).listen(Number(port));
}
