import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

import { Collector } from './helpers/collector.ts';
import { packages } from './helpers/packages.ts';
import { writePolicy } from './helpers/policy.ts';
import { PRELOAD } from './helpers/run.ts';

/** Everything observed, nothing enforced: the suite must see no difference. */
const OBSERVE = { js_sensor: { remediate: false, mcp: { client: {}, server: {} } }, llm: {} };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** Flags and environment of a program under test. */
function under(collector: Collector, sensor: boolean): { flags: readonly string[]; env: Record<string, string> } {
  if (!sensor) return { flags: [], env: {} };
  const file = join(collector.directory, 'policy.json');
  writePolicy(file, OBSERVE);
  return { flags: ['--import', PRELOAD], env: { UCP_POLICY_FILE: file, UCP_SENSOR_SOCKET: collector.socket } };
}

/** The suite's verdicts: its lines with a mark. */
function verdicts(output: string): readonly string[] {
  return output.split('\n').filter((line) => /^[✓✗]|passed|failed/i.test(line.trim()));
}

async function serverSuite(collector: Collector, sensor: boolean): Promise<readonly string[]> {
  const root = await packages('conformance');
  const port = await freePort();
  const { flags, env } = under(collector, sensor);
  const script = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const server = execa(process.execPath, [...flags, script, 'streamableHttp'], {
    env: { ...env, PORT: String(port) },
    reject: false,
    buffer: false,
    all: true,
  });
  try {
    await new Promise<void>((resolve) => {
      server.all.on('data', (chunk: Buffer) => /listening/i.test(chunk.toString()) && resolve());
    });
    const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const ran = await execa(process.execPath, [suite, 'server', '--url', `http://127.0.0.1:${port}/mcp`], {
      reject: false,
      cwd: collector.directory,
      all: true,
    });
    return verdicts(ran.all);
  } finally {
    server.kill('SIGKILL');
    await server;
  }
}

async function clientSuite(collector: Collector, scenario: string, sensor: boolean): Promise<readonly string[]> {
  const root = await packages('conformance');
  const { flags, env } = under(collector, sensor);
  const command = [process.execPath, ...flags, join(root, 'programs/conformance-client.mjs')].join(' ');
  const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const ran = await execa(process.execPath, [suite, 'client', '--command', command, '--scenario', scenario], {
    reject: false,
    cwd: collector.directory,
    env,
    all: true,
  });
  return verdicts(ran.all);
}

describe('the conformance suite', () => {
  test('says the same of server-everything with and without the sensor', async () => {
    await using collector = await Collector.listening();
    const plain = await serverSuite(collector, false);
    expect(plain.length).toBeGreaterThan(25);
    expect(await serverSuite(collector, true)).toEqual(plain);
    expect(collector.named('mcp_tool_call').length).toBeGreaterThan(0);
  });

  test.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'])(
    'says the same of a client in %s with and without the sensor',
    async (scenario) => {
      await using collector = await Collector.listening();
      const plain = await clientSuite(collector, scenario, false);
      expect(plain.length).toBeGreaterThan(0);
      expect(await clientSuite(collector, scenario, true)).toEqual(plain);
      expect(collector.named('mcp_session_started').length).toBeGreaterThan(0);
    },
  );
});
