import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

import { execa } from 'execa';

import { servePublished, serveHttp } from '../test/e2e/gateway/helpers/http-run.ts';
import { GatewayHost } from '../test/e2e/gateway/helpers/under-policy.ts';
import { mcpServer } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { measure, ratio, type Sample } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const PORT = 3001;
const SERVER = ['-e', `PORT=${PORT}`];
const COMMAND = ['mcp-server-everything', 'streamableHttp'];
const BATCH = 240;
/** Calls under way at a time. */
const CLIENTS = 8;

/** A client that keeps its connections and its session. */
class Caller {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: URL;
  #session = '';

  constructor(url: string) {
    this.#url = new URL('/mcp', url);
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    await this.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  }

  /** Calls `echo` so many times, {@link CLIENTS} at once. */
  async calls(count: number, message: string): Promise<void> {
    let left = count;
    const work = async (): Promise<void> => {
      while (left-- > 0) await this.#ask('tools/call', { name: 'echo', arguments: { message } });
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(method: string, params: object): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'Content-Length': Buffer.byteLength(body),
      ...(this.#session === '' ? {} : { 'Mcp-Session-Id': this.#session }),
    };
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        this.#session = String(response.headers['mcp-session-id'] ?? this.#session);
        text(response).then(resolve, reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
    if (!answer.includes('"result"')) throw new Error(`expected a result, got ${answer}`);
  }
}

/** `npm run bench -- gateway-http`: calls of a small tool over HTTP, eight at a time, through the gateway and beside it. */
export async function run(): Promise<boolean> {
  await using host = new GatewayHost();
  await host.ready();
  const image = await mcpServer();
  const name = `ucp-bench-${process.pid}`;
  await execa('docker', [
    'run',
    '-d',
    '--rm',
    '--name',
    name,
    '-p',
    `127.0.0.1::${PORT}`,
    ...SERVER,
    image,
    ...COMMAND,
  ]);
  try {
    const { stdout } = await execa('docker', ['port', name, String(PORT)]);
    const deny = { tools: { '*': { deny_list: ['danger', 'x-*'] } } };
    const flags = await host.flags({ remediate: true, mcp: { server: deny } });
    const none = await host.flags(undefined);
    await using direct = await servePublished(host, PORT, [...none, ...SERVER, image, ...COMMAND]);
    await using plain = await serveHttp(host, PORT, [...none, ...SERVER, image, ...COMMAND]);
    await using named = await serveHttp(host, PORT, [...flags, ...SERVER, image, ...COMMAND]);
    const subjects = [
      ['docker run -p', new Caller(`http://${stdout.trim()}`)],
      ['ucp-sandbox run -p', new Caller(direct.url)],
      ['--mcp http, no rules', new Caller(plain.url)],
      ['--mcp http, a deny list', new Caller(named.url)],
    ] as const;
    for (const [, caller] of subjects) await caller.open();
    let reached = true;
    for (const [size, message] of [
      ['30 bytes', 'hello, how are you doing today?'],
      ['100 KiB', 'x'.repeat(100 * 1024)],
    ] as const) {
      const samples = await measure(
        subjects.map(([subject, caller]) => ({
          name: subject,
          batch: BATCH,
          run: () => caller.calls(BATCH, message),
        })),
        { rounds: 15, warmup: 3 },
      );
      console.log(`${machine()}; ${BATCH} calls of ${size} a round, ${CLIENTS} at a time, 15 rounds\n`);
      console.log(table(['echo call', 'median', 'min', 'p95'], samples.map(row)));
      const [, without, , judged] = samples;
      if (without === undefined || judged === undefined) return false;
      // 0.9 of the throughput: 1.11 of the time.
      reached = goal(`a deny list : ucp-sandbox run -p, ${size}`, ratio(judged, without), 1.111) && reached;
    }
    for (const [, caller] of subjects) caller.close();
    return reached;
  } finally {
    await execa('docker', ['rm', '-f', name]);
  }
}

function row({ name, median, min, p95 }: Sample): string[] {
  return [name, duration(median), duration(min), duration(p95)];
}
