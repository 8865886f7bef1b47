import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execa } from 'execa';

import { mcpServer } from '../test/images/index.ts';
import { machine } from './lib/machine.ts';
import { duration, goal, table } from './lib/table.ts';

const ROOT = resolve(import.meta.dirname, '..');
const POLICY = {
  policy_id: 'first-use',
  version: 1,
  gateway: { remediate: true, mcp: { server: { tools: { '*': { deny_list: ['get-env'] } } } } },
};

/**
 * `npm run bench -- first-use`: from the last commit of this tree, cloned, to a policed server in a client's own file that
 * the client has started and called. The server's image is there already.
 */
export async function run(): Promise<boolean> {
  const image = await mcpServer();
  const home = mkdtempSync(join(tmpdir(), 'ucp-first-use-'));
  const clone = join(home, 'ucp');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, UCP_STATE_DIR: join(home, 's') };
  const rows: (readonly [string, number])[] = [];
  const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await work();
    rows.push([name, performance.now() - start]);
  };
  const at = { cwd: clone, env, extendEnv: false } as const;
  const ucp = (program: string, ...args: readonly string[]) =>
    execa(process.execPath, [join(clone, `bin/${program}.js`), ...args], { ...at, cwd: home });
  try {
    await step('git clone', () => execa('git', ['clone', '--quiet', ROOT, clone]));
    // Registry and cache of packages are the user's own.
    await step('npm ci', () => execa('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone }));
    await step('npm run build', () => execa('npm', ['run', 'build'], at));
    await step('key and policy', async () => {
      writeFileSync(join(home, 'policy.json'), JSON.stringify(POLICY));
      await ucp('ucp-policy', 'keygen', '--out', 'key');
      await ucp('ucp-policy', 'sign', 'policy.json', '--key', 'key');
    });
    await step(
      'mcp add',
      () =>
      ucp('ucp-sandbox', 'mcp', 'add', '--policy', 'policy.json', '--policy-key', 'key.pub', 'everything', image, 'mcp-server-everything'), // prettier-ignore
    );
    await step('client setup', () => ucp('ucp-sandbox', 'client', 'setup', 'claude-code'));
    await step('the client starts it and calls a tool', () => callFrom(join(home, '.claude.json'), env));
  } finally {
    await ucp('ucpd', 'stop').catch(() => undefined);
    rmSync(home, { recursive: true, force: true });
  }
  const total = rows.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`${machine()}\n`);
  console.log(
    table(
      ['step', 'time'],
      [...rows, ['all', total] as const].map(([name, ms]) => [name, duration(ms)]),
    ),
  );
  return goal('from a clone to a policed server in a client', total / 1000, 60, 's');
}

/** What the client's file says is started, by the official SDK; the denied tool must be gone. */
async function callFrom(file: string, env: Readonly<Record<string, string>>): Promise<void> {
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  const { command = '', args = [] } = mcpServers['everything'] ?? {};
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, env: { ...env }, stderr: 'ignore' }));
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
  await client.close();
  if (tools.includes('get-env') || !tools.includes('echo')) throw new Error(`not policed: ${tools.join(', ')}`);
}
