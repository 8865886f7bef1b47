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
  // Where the server has any of a kind, one of it is denied.
  expect([plain.resources.length > 0, plain.prompts.length > 0]).toEqual([
    one.denied.resource !== undefined,
    one.denied.prompt !== undefined,
  ]);
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

/** The methods of the violations that have arrived from a sandbox. */
function toldBy(host: SensorHost): readonly string[] {
  return host.receiver
    .records()
    .filter(({ eventName }) => eventName === 'mcp_violation')
    .map(({ attributes }) => attributes['mcp.method.name'] as string)
    .toSorted();
}

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
    await until('every violation', () => toldBy(host).length >= expectedMethods(one).length);
    expect(toldBy(host)).toEqual(expectedMethods(one));
  });
});

const deny = (name: string) => ({ '*': { deny_list: [name] } });
const off = { enable: false };

/** One of each that server-everything offers, denied to clients. */
const client = {
  tools: deny('get-sum'),
  resources: deny('demo://resource/static/document/architecture.md'),
  prompts: deny('simple-prompt'),
};
const INSPECTED = { js_sensor: { remediate: true, mcp: { client, server: off } } };

/** What the inspector's command line did. */
interface Inspected {
  readonly exitCode?: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Arguments of `node` for the inspector's command line, with server-everything; packages are at these places. */
function inspectorArgs(inspector: string, servers: string, node: string): readonly string[] {
  const cli = `${inspector}/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js`;
  const script = `${servers}/node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
  return [cli, '--cli', node, script, 'stdio', '--method'];
}

/** What is denied to the inspector is hidden and refused; the rest is what it is without the sensor. */
async function expectInspected(inspect: (...args: readonly string[]) => Promise<Inspected>): Promise<void> {
  const argv = inspectorArgs(await packages('inspector'), root, command);
  const plain = await execa(command, [...argv, 'tools/list'], { stdin: 'ignore' });
  const { tools } = JSON.parse(plain.stdout) as { tools: { readonly name: string }[] };
  const others = tools.filter(({ name }) => name !== 'get-sum');
  expect(others).toHaveLength(tools.length - 1);
  expect(JSON.parse((await inspect('tools/list')).stdout)).toEqual({ tools: others });
  const echoed = await inspect('tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hello');
  expect(JSON.parse(echoed.stdout)).toMatchObject({ content: [{ text: 'Echo: hello' }] });
  for (const [list, denied] of [
    ['resources/list', 'architecture.md'],
    ['prompts/list', 'simple-prompt'],
  ] as const) {
    const { exitCode, stdout } = await inspect(list);
    expect([exitCode, stdout.includes(denied)]).toEqual([0, false]);
  }
  for (const asked of [
    ['tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=1', '--tool-arg', 'b=2'],
    ['resources/read', '--uri', 'demo://resource/static/document/architecture.md'],
    ['prompts/get', '--prompt-name', 'simple-prompt'],
  ]) {
    const { exitCode, stdout, stderr } = await inspect(...asked);
    expect(exitCode).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain('Operator policy does not permit');
  }
}

/** The violations of {@link expectInspected}. The inspector lists the tools before it calls one. */
const INSPECTIONS =
  'prompts/get prompts/list resources/list resources/read tools/call tools/list tools/list tools/list'.split(' ');

// A package of its own, and a client and a server for every question.
describe.runIf(FULL)("the inspector's command line", () => {
  test('on a host: what is denied to it is hidden and refused, the rest is what it was', async () => {
    await using collector = await Collector.listening();
    const policyFile = join(collector.directory, 'policy.json');
    writePolicy(policyFile, INSPECTED);
    const env = { UCP_POLICY_FILE: policyFile, UCP_SENSOR_SOCKET: collector.socket };
    const argv = ['--import', PRELOAD, ...inspectorArgs(await packages('inspector'), root, command)];
    await expectInspected((...args) => execa(command, [...argv, ...args], { env, reject: false, stdin: 'ignore' }));
    await collector.drained();
    const told = collector.named('mcp_violation').map((line) => line.attributes?.['mcp.method.name'] as string);
    expect(told.toSorted()).toEqual(INSPECTIONS);
  });

  test('in a sandbox: the same', async () => {
    await using host = await SensorHost.open(INSPECTED);
    const volumes = ['-v', `${await packages('inspector')}:/inspector`, '-v', `${root}:/servers`];
    const inside = [...volumes, await node(), 'node', ...inspectorArgs('/inspector', '/servers', 'node')];
    await expectInspected((...args) => host.run(...inside, ...args));
    await until('every violation', () => toldBy(host).length >= INSPECTIONS.length);
    expect(toldBy(host)).toEqual(INSPECTIONS);
  });
});
