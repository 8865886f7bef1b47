import { join, resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PolicyCli } from './testing.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../profiles/policy/example/policy.json');
const TEMPLATES = resolve(import.meta.dirname, '../../../profiles/policy/templates');
const head = { policy_id: 'a', version: 1 };

let cli: PolicyCli;
beforeAll(() => {
  cli = new PolicyCli();
});
afterAll(() => cli[Symbol.dispose]());

describe('ucp-policy explain', () => {
  test('says in sentences what a policy means, per sensor', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['explain', EXAMPLE]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^example-shop-agent version 1\n\nJavaScript sensor\n {2}MCP enforces: what is denied is blocked/,
    );
    for (const said of [
      'The server side observes: what is denied is let through and logged.',
      'Denies the tool refund of server "shop" (server side).',
      'Denies every other program.',
      'Allows connections to api.shop.example:443/tcp (shop).',
      'The user of the workload: 1000:1000.',
      'Python sensor\n  MCP is off.',
    ]) {
      expect(stdout).toContain(said);
    }
  });

  test('points at the rule of every sentence', async () => {
    const { stdout } = await cli.run(['explain', EXAMPLE, '--json']);
    const { chapters }: { chapters: { title: string; facts: { pointer: string; sentence: string }[] }[] } =
      JSON.parse(stdout);
    const facts = chapters.find(({ title }) => title === 'Programs')?.facts;
    expect(facts).toContainEqual(
      expect.objectContaining({ pointer: '/exec/deny_list/0', sentence: 'Denies programs at **/curl.' }),
    );
  });

  test('says nothing of rules that are switched off', async () => {
    const file = cli.write('off.json', { ...head, exec: { enable: false, deny_list: ['/a'] } });
    expect((await cli.run(['explain', file])).stdout).toContain('Programs\n  The kernel sensor is off.\n');
  });
});

/** What `diff` says of two policies. */
const changes = async (before: object, after: object): Promise<string[]> => {
  const [a, b] = [cli.write('a.json', { ...head, ...before }), cli.write('b.json', { ...head, ...after })];
  const { exitCode, stdout } = await cli.run(['diff', a, b, '--json']);
  const found: { changes: { effect: string; subject: string; from?: string; to?: string }[] } = JSON.parse(stdout);
  expect(exitCode).toBe(found.changes.length === 0 ? 0 : 1);
  return found.changes.map(
    ({ effect, subject, from, to }) => `${effect} ${subject}${from === undefined ? '' : `: ${from} -> ${to}`}`,
  );
};

describe('ucp-policy diff', () => {
  test('finds no difference in order, notes, layout or version', async () => {
    const exec = { enable: true, remediate: true, deny_list: ['/a', '/b'] };
    expect(
      await changes({ exec }, { version: 2, 'x-note': 1, exec: { remediate: true, deny_list: ['/b', '/a'] } }),
    ).toEqual([]);
    expect(
      await changes(
        { exec },
        { brace: { exec: { enable: true, remediate: true, explicit_deny_list: true, match_list: ['/a', '/b'] } } },
      ),
    ).toEqual([]);
  });

  test.each<[string, object, object, string[]]>([
    ['a denied program', { exec: {} }, { exec: { deny_list: ['/a'] } }, ['denied programs at /a']],
    ['a program no longer denied', { exec: { deny_list: ['/a'] } }, { exec: {} }, ['allowed programs at /a']],
    [
      'an allow_list',
      { exec: {} },
      { exec: { allow_list: ['/a'] } },
      ['allowed programs at /a', 'denied every other program'],
    ],
    [
      'enforcement',
      { exec: { remediate: false } },
      { exec: { remediate: true } },
      ['enforced the kernel sensor: observe -> enforce'],
    ],
    ['a sensor off', { a2a: {} }, { a2a: { enable: false } }, ['off the sensor: observe -> off']],
    [
      'a port',
      { network: { w: { egress: [{ to: ['a.b'], ports: [443] }] } } },
      { network: { w: { egress: [{ to: ['a.b'], ports: [443, 22] }] } } },
      ['allowed connections to a.b:22/tcp (w)'],
    ],
    [
      'a limit',
      { options: { limits: { pids: 1 } } },
      { options: { limits: { pids: 2 } } },
      ['changed the most pids of a sandbox: 1 -> 2'],
    ],
    [
      'a failing sensor',
      { exec: {} },
      { exec: { on_error: 'block' } },
      ['changed when the sensor itself fails: not set -> block'],
    ],
    [
      'a pattern',
      { js_sensor: { mcp: { client: { tools: { '*': {} } } } } },
      { js_sensor: { mcp: { client: { tools: { '*': { arguments: { builtin: ['shell'], action: 'redact' } } } } } } },
      [
        'redacted arguments of tools of servers without rules of their own (client side) that match the built-in set shell',
      ],
    ],
    [
      'inherited enforcement',
      { js_sensor: { mcp: { client: {} } } },
      { js_sensor: { remediate: true, mcp: { client: {} } } },
      ['enforced MCP: observe -> enforce', 'enforced the client side: observe -> enforce'],
    ],
    [
      'rules of its own that take a server from *',
      { js_sensor: { mcp: { client: { tools: { '*': { deny_list: ['x'] } } } } } },
      { js_sensor: { mcp: { client: { tools: { '*': { deny_list: ['x'] }, git: {} } } } } },
      ['changed tools of server "git" (client side): not set -> rules of its own, not those of *'],
    ],
  ])('%s', async (_, before, after, expected) => {
    expect(await changes(before, after)).toEqual(expected);
  });

  test('groups what changes for people', async () => {
    const { exitCode, stdout } = await cli.run([
      'diff',
      join(TEMPLATES, 'observe.json'),
      join(TEMPLATES, 'enforce.json'),
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^Becomes denied:\n {2}Programs: programs that are not from the image's layers \(\/exec\/drift\)\n/,
    );
    expect(stdout).toContain('Becomes enforced:\n  JavaScript sensor: MCP: observe -> enforce (/js_sensor/mcp)\n');
  });

  test('is trouble when one of them is no policy: exit 2', async () => {
    expect(await cli.run(['diff', EXAMPLE, cli.path('absent.json')])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await cli.run(['diff', EXAMPLE, cli.write('bad.json', '{')])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
