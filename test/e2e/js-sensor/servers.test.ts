import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';

import { node } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { SensorHost } from '../helpers/sensor-run.ts';
import { Collector } from './helpers/collector.ts';
import { packages } from './helpers/packages.ts';
import { writePolicy } from './helpers/policy.ts';
import {
  denying,
  expectDenied,
  expectedMethods,
  missing,
  offerOf,
  REAL_SERVERS,
  type RealServer,
  scriptOf,
  talk,
} from './helpers/real-servers.ts';
import { PRELOAD } from './helpers/run.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FULL = process.env['UCP_FULL'] === '1';
const command = process.execPath;

let root = '';
beforeAll(async () => {
  root = await packages('servers');
});

/** What is denied exists. */
async function plainOffer(one: RealServer) {
  const plain = await talk({ command, args: scriptOf(one, root), env: {} }, offerOf);
  expect(missing(one, plain)).toEqual([]);
  return plain;
}

describe.each(REAL_SERVERS.map((one) => [one.name, one] as const))('%s on a host', (_, one) => {
  test('what is denied is hidden, refused and told once each; all the rest stays and works', async () => {
    await using collector = await Collector.listening();
    const policyFile = join(collector.directory, 'policy.json');
    writePolicy(policyFile, denying(one, 'server'));
    const plain = await plainOffer(one);
    const env = { UCP_POLICY_FILE: policyFile, UCP_SENSOR_SOCKET: collector.socket };
    const args = ['--import', PRELOAD, ...scriptOf(one, root)];
    await talk({ command, args, env }, (client) => expectDenied(client, one, plain));
    await collector.drained();
    const told = collector.named('mcp_violation').map((line) => line.attributes?.['mcp.method.name'] as string);
    expect(told.toSorted()).toEqual(expectedMethods(one));
  });
});

// A sandbox for each takes a minute together.
describe.each(FULL ? REAL_SERVERS.map((one) => [one.name, one] as const) : [])('%s in a sandbox', (_, one) => {
  test('what is denied is hidden, refused and told once each; all the rest stays and works', async () => {
    await using host = await SensorHost.open(denying(one, 'server'));
    const plain = await plainOffer(one);
    const inside = [...host.flags, '-i', '-v', `${root}:/app`, await node(), 'node', ...scriptOf(one, '/app')];
    const args = [join(ROOT, 'bin/ucp-sandbox.js'), ...inside];
    const env = Object.fromEntries(
      Object.entries(host.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    await talk({ command, args, env }, (client) => expectDenied(client, one, plain));
    const told = (): readonly string[] =>
      host.receiver
        .records()
        .filter(({ eventName }) => eventName === 'mcp_violation')
        .map(({ attributes }) => attributes['mcp.method.name'] as string)
        .toSorted();
    await until('every violation', () => told().length >= expectedMethods(one).length);
    expect(told()).toEqual(expectedMethods(one));
  });
});

const deny = (name: string) => ({ '*': { deny_list: [name] } });

/** Runs the inspector's command line once, with server-everything. */
async function inspect(env: Record<string, string>, ...args: readonly string[]) {
  const inspector = join(await packages('inspector'), 'node_modules/@modelcontextprotocol/inspector/cli/build/cli.js');
  const script = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const flags = env['UCP_POLICY_FILE'] === undefined ? [] : ['--import', PRELOAD];
  const argv = [...flags, inspector, '--cli', command, script, 'stdio', '--method', ...args];
  return await execa(command, argv, { env, reject: false, stdin: 'ignore' });
}

// A package of its own, and a client and a server for every question.
test.runIf(FULL)(
  "the inspector's command line: what is denied to it is hidden and refused, the rest is what it was",
  async () => {
    await using collector = await Collector.listening();
    const policyFile = join(collector.directory, 'policy.json');
    const client = {
      tools: deny('get-sum'),
      resources: deny('demo://resource/static/document/architecture.md'),
      prompts: deny('simple-prompt'),
    };
    writePolicy(policyFile, { js_sensor: { remediate: true, mcp: { client, server: { enable: false } } } });
    const env = { UCP_POLICY_FILE: policyFile, UCP_SENSOR_SOCKET: collector.socket };
    const { tools } = JSON.parse((await inspect({}, 'tools/list')).stdout) as { tools: { readonly name: string }[] };
    const others = tools.filter(({ name }) => name !== 'get-sum');
    expect(others).toHaveLength(tools.length - 1);
    expect(JSON.parse((await inspect(env, 'tools/list')).stdout)).toEqual({ tools: others });
    const echoed = await inspect(env, 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hello');
    expect(JSON.parse(echoed.stdout)).toMatchObject({ content: [{ text: 'Echo: hello' }] });
    for (const asked of [
      ['tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=1', '--tool-arg', 'b=2'],
      ['resources/read', '--uri', 'demo://resource/static/document/architecture.md'],
      ['prompts/get', '--prompt-name', 'simple-prompt'],
    ]) {
      const { exitCode, stdout, stderr } = await inspect(env, ...asked);
      expect(exitCode).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain('Operator policy does not permit');
    }
    await collector.drained();
    const told = collector.named('mcp_violation').map((line) => line.attributes?.['mcp.method.name'] as string);
    // It lists the tools before it calls one.
    const lists = ['tools/list', 'tools/list', 'tools/list'];
    expect(told.toSorted()).toEqual(['prompts/get', 'resources/read', 'tools/call', ...lists]);
  },
);
