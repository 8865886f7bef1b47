/**
 * `http-server.mjs LINE KIND HOST`: a server of SDK 1.x or 2.x over HTTP; prints where it listens. HOST is what clients
 * call it; a `guarded` one lets nobody else in.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [line, kind, host] = process.argv.slice(2);
const TOKEN = 'right';

async function v1() {
  const { SSEServerTransport } = await import('@modelcontextprotocol/sdk/server/sse.js');
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { makeServer } = await import('./v1-server.mjs');
  if (kind === 'sse') {
    let theirs;
    return async (request, response) => {
      if (request.method === 'POST') return theirs.handlePostMessage(request, response);
      theirs = new SSEServerTransport('/messages', response);
      await makeServer().connect(theirs);
    };
  }
  const guard = { enableDnsRebindingProtection: true, allowedHosts: [host], allowedOrigins: [`http://${host}`] };
  const options = { sessionIdGenerator: () => randomUUID(), enableJsonResponse: kind !== 'http-sse' };
  const theirs = new StreamableHTTPServerTransport({ ...options, ...(kind === 'guarded' ? guard : {}) });
  await makeServer().connect(theirs);
  if (kind !== 'guarded') return (request, response) => theirs.handleRequest(request, response);
  const { createMcpExpressApp } = await import('@modelcontextprotocol/sdk/server/express.js');
  const { requireBearerAuth } = await import('@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js');
  const { InvalidTokenError } = await import('@modelcontextprotocol/sdk/server/auth/errors.js');
  const verifyAccessToken = async (token) => {
    if (token !== TOKEN) throw new InvalidTokenError('not this one');
    return { token, clientId: 'c', scopes: [], expiresAt: 2 ** 40 };
  };
  const app = createMcpExpressApp({ host: '127.0.0.1' });
  app.all('/mcp', requireBearerAuth({ verifier: { verifyAccessToken } }), (request, response) =>
    theirs.handleRequest(request, response, request.body),
  );
  return app;
}

async function v2() {
  const node = await import('@modelcontextprotocol/node');
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { makeServer } = await import('./v2-server.mjs');
  if (kind.startsWith('http-')) {
    const options = { sessionIdGenerator: () => randomUUID(), enableJsonResponse: kind === 'http-json' };
    const theirs = new node.NodeStreamableHTTPServerTransport(options);
    await makeServer().connect(theirs);
    return (request, response) => theirs.handleRequest(request, response);
  }
  const responseMode = kind === 'handler-sse' ? 'sse' : 'auto';
  const handle = node.toNodeHandler(createMcpHandler(makeServer, { responseMode }));
  if (kind !== 'guarded') return handle;
  const checks = [node.localhostHostValidation(), node.localhostOriginValidation()];
  return (request, response) => {
    if (!checks.every((check) => check(request, response))) return;
    if (request.headers.authorization === `Bearer ${TOKEN}`) return handle(request, response);
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  };
}

const server = createServer(await { v1, v2 }[line]());
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
