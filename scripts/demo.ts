/**
 * The main job end to end, on real parts: a published MCP server in a container, under a signed policy, driven by the official MCP client,
 * with every event arriving at an OTLP receiver. Prints one line a step and a summary; exits 1 when a step did not do what it says.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execa } from 'execa';

import { startOtlpReceiver } from '../test/fakes/otlp-receiver.ts';
import { mcpServer } from '../test/images/index.ts';

const root = resolve(import.meta.dirname, '..');
const dir = mkdtempSync(join(tmpdir(), 'ucp-demo-'));
const receiver = await startOtlpReceiver();
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: dir,
  UCP_STATE_DIR: join(dir, 's'),
  UCP_CONFIG: join(dir, 'config.yaml'),
  API_TOKEN: 'host-secret',
};

let failed = 0;
function step(what: string, ok: boolean, shown: string): void {
  if (!ok) failed += 1;
  console.log(`${ok ? '✓' : '✗'} ${what}\n    ${shown.trim().split('\n').join('\n    ')}`);
}

async function program(name: string, ...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const ran = await execa(process.execPath, [join(root, 'bin', `${name}.js`), ...args], {
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode: ran.exitCode ?? -1, stdout: ran.stdout, stderr: ran.stderr };
}

async function talkToServer(image: string): Promise<void> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      join(root, 'bin/ucp-sandbox.js'),
      'run',
      '-i',
      '--mcp',
      'stdio',
      ...policyFlags,
      '-v',
      `${dir}/notes:/notes`,
      image,
      'mcp-server-filesystem',
      '/notes',
    ],
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'demo', version: '1.0.0' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  step(
    'The official MCP client lists the tools of server-filesystem, which runs in a sandbox',
    tools.length > 5,
    tools.map(({ name }) => name).join(' '),
  );
  const read = await client.callTool({ name: 'read_text_file', arguments: { path: '/notes/hello.txt' } });
  step(
    'A tool reads a file of the mounted directory',
    JSON.stringify(read).includes('Hello from the host'),
    textOf(read),
  );
  const write = await client.callTool({ name: 'write_file', arguments: { path: '/notes/new.txt', content: 'x' } });
  step(
    'The same tool set cannot write there: volumes are read-only unless :rw is written',
    write.isError === true,
    textOf(write),
  );
  await client.close();
}

async function talkToDeniedTool(image: string): Promise<void> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'bin/ucp-sandbox.js'), 'run', '--mcp', 'stdio', ...policyFlags, image, 'mcp-server-everything'],
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'demo', version: '1.0.0' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const listed = tools.map(({ name }) => name);
  step(
    'A tool that policy denies is not listed',
    listed.includes('echo') && !listed.includes('get-env'),
    listed.join(' '),
  );
  const refusal = await client.callTool({ name: 'get-env', arguments: {} }).then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  step('… and not callable: the program lives on, the model is told why', refusal.includes('-32010'), refusal);
  await client.close();
}

function textOf(result: unknown): string {
  const { content } = result as { content: { text?: string }[] };
  return content.map(({ text }) => text ?? '').join(' ');
}

const policy = join(dir, 'policy.json');
const policyFlags = ['--policy', policy, '--policy-key', join(dir, 'key.pub')];
try {
  mkdirSync(join(dir, 'notes'));
  writeFileSync(join(dir, 'notes/hello.txt'), 'Hello from the host\n');
  writeFileSync(join(dir, 'config.yaml'), `event_format: OTEL\nevent_url: ${receiver.url}\n`);
  writeFileSync(
    policy,
    JSON.stringify({
      policy_id: 'demo',
      version: 1,
      js_sensor: { mcp: { enable: true, remediate: true, server: { tools: { '*': { deny_list: ['get-env'] } } } } },
      options: { enable: true, remediate: true, namespaces: { pid: true }, limits: { memory: '512m' } },
    }),
  );

  const image = await mcpServer();
  await program('ucp-policy', 'keygen', '--out', join(dir, 'key'));
  const signed = await program('ucp-policy', 'sign', policy, '--key', join(dir, 'key'));
  step(
    'A security engineer signs a policy',
    signed.exitCode === 0,
    `ucp-policy sign policy.json --key key   →  policy.json.sig`,
  );

  await talkToServer(image);
  await talkToDeniedTool(image);

  const variables = await program('ucp-sandbox', 'run', '-q', ...policyFlags, '-e', 'GREETING=hi', image, 'env');
  step(
    'Only named variables get in',
    variables.stdout.includes('GREETING=hi') && !variables.stdout.includes('host-secret'),
    'GREETING=hi is there; API_TOKEN of the host is not',
  );

  const wide = await program('ucp-sandbox', 'run', ...policyFlags, '-m', '4g', image, 'true');
  step('A flag that is wider than the policy is refused', wide.exitCode === 125, wide.stderr);
  const shared = await program('ucp-sandbox', 'run', ...policyFlags, '--no-isolation', image, 'true');
  step('So is switching off an isolation that the policy demands', shared.exitCode === 125, shared.stderr);

  appendFileSync(policy, ' ');
  const broken = await program('ucp-sandbox', 'run', ...policyFlags, image, 'true');
  step('A policy whose signature does not cover its exact bytes is refused', broken.exitCode === 125, broken.stderr);

  await program('ucpd', 'stop');
  const names = new Map<string, number>();
  for (const { eventName } of receiver.records()) names.set(eventName, (names.get(eventName) ?? 0) + 1);
  const arrived = ['sandbox_started', 'sandbox_exited', 'sandbox_refused', 'mcp_violation'].every((name) =>
    names.has(name),
  );
  step(
    'All of it arrived at an OTLP receiver',
    arrived,
    [...names].map(([name, count]) => `${name} × ${count}`).join(', '),
  );
  const left = await execa('docker', ['ps', '-aq', '--filter', 'label=ucp.sandbox', '--filter', `volume=${dir}`]);
  step('Nothing is left: no container, no directory', left.stdout === '', 'docker ps -a shows none of ours');
} finally {
  await program('ucpd', 'stop');
  await receiver.close();
  rmSync(dir, { recursive: true, force: true });
}

console.log(
  failed === 0
    ? '\nYou saw an unmodified MCP server run in a container under a signed policy: its files read-only, its environment empty, its limits\nset by the policy, every start, exit and refusal reported by OpenTelemetry. Next: README.md, “A tour in 60 seconds”.'
    : `\n${failed} step(s) did not do what they say.`,
);
process.exitCode = failed === 0 ? 0 : 1;
