/** `http-client.mjs LINE KIND URL`: a client of SDK 1.x or 2.x says all there is to say to a server over HTTP. */
import { dialog } from './dialog.mjs';

const [line, kind, url] = process.argv.slice(2);
const info = { name: 'dialog', version: '1.0.0' };

async function v1() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const Transport = kind === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  return { client: new Client(info), transport: new Transport(new URL(url)) };
}

async function v2() {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const mode = kind.startsWith('handler-') ? 'auto' : 'legacy';
  return {
    client: new Client(info, { versionNegotiation: { mode } }),
    transport: new StreamableHTTPClientTransport(new URL(url)),
  };
}

const { client, transport } = await { v1, v2 }[line]();
await client.connect(transport);
await dialog(client, { v2: line === 'v2' });
await client.close();
