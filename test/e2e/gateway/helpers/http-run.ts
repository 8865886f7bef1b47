import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { execa } from 'execa';

import { until } from '../../helpers/docker.ts';
import type { GatewayHost } from './under-policy.ts';

/** A sandbox whose server is reached over HTTP. */
export interface HttpRun extends AsyncDisposable {
  /** Where the gateway listens, without a path. */
  readonly url: string;
  stderr(): string;
}

/** Runs a server that listens on `port` of its container; resolves when the gateway says where it is. */
export async function serveHttp(host: GatewayHost, port: number, args: readonly string[]): Promise<HttpRun> {
  return running(host, ['run', '--mcp', `http:${port}`, '-p', String(port), ...args]);
}

/** Runs `ucp-sandbox` with these arguments until the returned object is disposed of. */
export async function running(host: GatewayHost, args: readonly string[]): Promise<HttpRun> {
  const child = host.spawn(args, { stdin: 'ignore', buffer: false });
  let said = '';
  child.stdout?.resume();
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = /over HTTP at (http:\S+?),?\s/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void child.then(() => reject(new Error(`ended: ${said}`)));
  });
  return {
    url,
    stderr: () => said,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await child;
    },
  };
}

/** Runs a server without the gateway, with `port` published by the engine; resolves when it answers. */
export async function servePublished(host: GatewayHost, port: number, args: readonly string[]): Promise<HttpRun> {
  const name = `ucp-published-${process.pid}`;
  const child = host.spawn(['run', '--name', name, '-p', String(port), ...args], { stdin: 'ignore' });
  let url = '';
  await until('a server that answers', async () => {
    const { stdout } = await execa('docker', ['port', name, String(port)], { reject: false });
    url = `http://${(stdout ?? '').trim()}`;
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    stderr: () => '',
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await child;
    },
  };
}

/** The official client, connected over Streamable HTTP or HTTP+SSE; it answers what the server wants sampled. */
export async function connectTo(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const requestInit = { headers };
  const transport = url.endsWith('/sse')
    ? new SSEClientTransport(new URL(url), { requestInit })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit });
  const client = new Client({ name: 'e2e', version: '1.0.0' }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'none',
    role: 'assistant',
    content: { type: 'text', text: 'sampled' },
  }));
  await client.connect(transport);
  return client;
}
