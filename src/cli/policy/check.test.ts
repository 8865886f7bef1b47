import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PolicyCli } from './testing.ts';

const PROFILES = resolve(import.meta.dirname, '../../../profiles/policy');
const POLICY = join(PROFILES, 'example/policy.json');

let cli: PolicyCli;
beforeAll(() => {
  cli = new PolicyCli();
});
afterAll(() => cli[Symbol.dispose]());

describe('ucp-policy check', () => {
  test.each([
    [['exec', '/usr/local/bin/node'], 0, 'allowed'],
    [['exec', '/usr/bin/curl'], 1, 'denied', '/exec/deny_list/0'],
    [['network', 'api.shop.example:443', '--config', 'shop'], 0, 'allowed', '/network/shop/egress/0/to/0'],
    [['network', 'API.shop.example.:443', '--config=shop'], 0, 'allowed'],
    [['network', 'api.shop.example:443/udp', '--config', 'shop'], 1, 'denied', '/network/shop/egress'],
    [['network', '[::1]:443', '--config', 'shop'], 1, 'denied'],
    [['tool', 'github/create_issue', '--args', '{"a":"x"}'], 0, 'allowed'],
    [['tool', 'github/create_issue', '--args', '{"a":["https://github.com/evil"]}'], 1, 'denied'],
    [['tool', 'shop/refund', '--side', 'server'], 0, 'observed', '/js_sensor/mcp/server/tools/shop/deny_list/0'],
    [['tool', '*/anything'], 0, 'allowed'],
    [['tool', 'a/b', '--sensor', 'gateway'], 0, 'allowed'],
    [['prompt', 'a/b'], 0, 'allowed'],
    [['stdio-server', 'npx', '--args', '["-y","@shop/inventory-mcp"]'], 0, 'allowed'],
    [['http-server', 'https://a.example/', '--authenticated', '--transport', 'sse'], 1, 'denied'],
    [['card', '{"name":"a"}'], 0, 'allowed'],
    [['volume', '/srv/shop/out:rw'], 0, 'allowed'],
  ])('%j: exit %i, %s', async (args, exitCode, verdict, rule?: string) => {
    const ran = await cli.run(['check', '--policy', POLICY, '--json', ...args]);
    expect(ran).toMatchObject({ exitCode, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ verdict, ...(rule === undefined ? {} : { rule }) });
  });

  test('says for people which rule decided, in which mode, and what to do', async () => {
    const { stdout } = await cli.run(['check', '--policy', POLICY, 'exec', '/usr/bin/curl']);
    expect(stdout).toBe(
      'denied: rule /exec/deny_list/0 (enforce)\n"/usr/bin/curl" is denied. Blocked by /exec/deny_list/0. Take the path out of the deny_list to allow it.\n',
    );
  });

  test.each([
    [['exec', 'curl'], 'POLICY_QUERY'],
    [['exec', '/x', '--used', 'y'], 'POLICY_QUERY'],
    [['exec', '/x', '--origin', 'moon'], 'USAGE'],
    [['network', 'host', '--config', 'shop'], 'POLICY_QUERY'],
    [['network', 'host:0', '--config', 'shop'], 'POLICY_QUERY'],
    [['network', 'host:1'], 'POLICY_QUERY'],
    [['network', 'host:1', '--config', 'nope'], 'NETWORK_CONFIG_UNKNOWN'],
    [['tool', 'name'], 'POLICY_QUERY'],
    [['tool', 'a/b', '--args', '{'], 'POLICY_QUERY'],
    [['stdio-server', 'a', '--args', '{}'], 'POLICY_QUERY'],
    [['card', '[]'], 'POLICY_QUERY'],
    [['volume', 'relative'], 'POLICY_QUERY'],
    [['env', '='], 'POLICY_QUERY'],
    [['namespace', 'mnt'], 'POLICY_QUERY'],
    [['limit', 'disk=1'], 'POLICY_QUERY'],
    [['limit', 'memory=lots'], 'POLICY_QUERY'],
    [['weather', 'x'], 'USAGE'],
    [['exec'], 'USAGE'],
  ])('%j has no answer: exit 2, %s', async (args, code) => {
    const ran = await cli.run(['check', '--policy', POLICY, '--json', ...args]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(ran.stderr)).toMatchObject({ code, exitCode: 2 });
  });

  test('an invalid or absent policy answers nothing: exit 2', async () => {
    const invalid = cli.write('invalid.json', '{}');
    expect(await cli.run(['check', '--policy', invalid, 'exec', '/x'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await cli.run(['check', '--policy', cli.path('absent'), 'exec', '/x'])).toMatchObject({ exitCode: 2 });
  });

  test('a policy without a section leaves it alone', async () => {
    const empty = cli.write('empty.json', { policy_id: 'e', version: 1 });
    for (const [domain, query] of [
      ['exec', '/x'],
      ['tool', 'a/b'],
      ['http-server', 'http://x/'],
      ['user', 'root'],
    ] as const) {
      expect(await cli.run(['check', '--policy', empty, domain, query])).toMatchObject({ exitCode: 0 });
    }
  });
});

describe('ucp-policy test', () => {
  test('answers the shipped example in TAP: every case as expected', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['test', join(PROFILES, 'example/cases.yaml')]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^TAP version 14\n1\.\.\d+\nok 1 - /);
    expect(stdout).not.toContain('not ok');
  });

  test('fails a case whose verdict or rule is another one, or whose question has no answer', async () => {
    const table = cli.write(
      'cases.yaml',
      `cases:
  - { exec: /usr/bin/curl, expect: denied }
  - { exec: /usr/bin/curl, expect: allowed, name: "a # in the name" }
  - { exec: /usr/bin/curl, expect: denied, rule: /exec/deny_list/1 }
  - { exec: curl, expect: denied }
  - { card: { name: x }, expect: allowed }
`,
    );
    const { exitCode, stdout } = await cli.run(['test', table, '--policy', POLICY]);
    expect(exitCode).toBe(1);
    expect(stdout.match(/^(?:not )?ok .*$/gm)).toEqual([
      'ok 1 - exec /usr/bin/curl',
      String.raw`not ok 2 - a \# in the name`,
      'not ok 3 - exec /usr/bin/curl',
      'not ok 4 - exec curl',
      'ok 5 - card {"name":"x"}',
    ]);
    expect(stdout).toContain('got: {"verdict":"POLICY_QUERY"');
    const json = await cli.run(['test', table, '--policy', POLICY, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ passed: 2, failed: 3 });
  });

  test.each([
    ['no YAML', 'cases: [', 'POLICY_TEST_TABLE'],
    ['no cases', 'cases: []', 'POLICY_TEST_TABLE'],
    ['a case without a question', 'cases: [{ expect: denied }]', 'POLICY_TEST_TABLE'],
    ['a case with two questions', 'cases: [{ exec: /a, env: B, expect: denied }]', 'POLICY_TEST_TABLE'],
    ['an unknown key', 'cases: [{ exec: /a, expct: denied, expect: denied }]', 'POLICY_TEST_TABLE'],
    ['an unknown verdict', 'cases: [{ exec: /a, expect: maybe }]', 'POLICY_TEST_TABLE'],
    ['a question that is no text', 'cases: [{ exec: [1], expect: denied }]', 'POLICY_TEST_TABLE'],
    ['a key twice', 'cases: [{ exec: /a, exec: /b, expect: denied }]', 'POLICY_TEST_TABLE'],
    ['no policy', 'cases: [{ exec: /a, expect: denied }]', 'USAGE'],
  ])('%s: exit 2', async (_, text, code) => {
    const ran = await cli.run(['test', cli.write('bad.yaml', text)]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(code) });
  });
});

describe('shipped policies', () => {
  const shipped = [PROFILES, join(PROFILES, 'templates'), join(PROFILES, 'example')].flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.json') && name !== 'policy.schema.json')
      .map((name) => join(directory, name)),
  );

  test.each(shipped)('%s is valid, without warnings', async (file) => {
    const { exitCode, stdout } = await cli.run(['validate', file, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [] });
  });

  test.each(['free', 'full'])('the %s edition has every sensor on, to observe', async (edition) => {
    const { stdout } = await cli.run(['normalize', join(PROFILES, `${edition}.json`)]);
    const sensors = ['js_sensor', 'python_sensor', 'gateway', 'langchain', 'crewai', 'a2a', 'llm', 'exec'];
    expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining(sensors));
    expect(stdout).not.toMatch(/"remediate": true|"enable": false/);
  });
});
