import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/core/json.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Dialog, Refusal } from './helpers/dialogs.ts';
import { program, type PackageSet } from './helpers/packages.ts';
import { run, type Ran } from './helpers/run.ts';

const OFF = { enable: false };

async function dialog(
  conversation: readonly [PackageSet, string, ...string[]],
  mcp: JsonObject,
): Promise<Ran & { readonly seen: Dialog }> {
  const [set, file, ...args] = conversation;
  const ran = await run([await program(set, file), ...args], { policy: { js_sensor: { remediate: true, mcp } } });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  return { ...ran, seen: JSON.parse(ran.stdout) as Dialog };
}

const told = (ran: Ran): readonly unknown[] =>
  ran.lines.flatMap((line) => (line.violation === undefined ? [] : [[line.violation.rule, line.violation.action]]));

describe.each([
  ['v1', 'v1.mjs', 'stdio'],
  ['v2', 'v2.mjs', 'handler-json', 'auto'],
] as const)('%s %s %s', (...conversation) => {
  test.each(['client', 'server'] as const)(
    'arguments that match a pattern are refused on the %s side',
    async (side) => {
      const rules = { tools: { '*': { arguments: { deny: [{ name: 'greeting', regex: 'h[aeiou]llo' }] } } } };
      const ran = await dialog(conversation, { client: OFF, server: OFF, [side]: rules });
      expect(ran.seen.echo).toMatchObject({ code: -32010 });
      expect(ran.seen.again).toBe('still here');
      expect(told(ran)).toEqual([[`/js_sensor/mcp/${side}/tools/*/arguments/deny/0`, 'blocked']]);
    },
  );

  test.each(['client', 'server'] as const)('arguments are redacted on the %s side before they go on', async (side) => {
    const args = { deny: [{ name: 'greeting', regex: 'h[aeiou]llo' }], action: 'redact' };
    const ran = await dialog(conversation, {
      client: OFF,
      server: OFF,
      [side]: { tools: { '*': { arguments: args } } },
    });
    expect(ran.seen.echo).toBe('[redacted:greeting]');
    expect(told(ran)).toEqual([[`/js_sensor/mcp/${side}/tools/*/arguments/deny/0`, 'redacted']]);
  });

  test.each(['client', 'server'] as const)('a result that matches is refused on the %s side', async (side) => {
    const rules = { tools: { demo: { responses: { deny: [{ name: 'danger', regex: 'DANGER' }] } } } };
    const ran = await dialog(conversation, { client: OFF, server: OFF, [side]: rules });
    expect(ran.seen.danger).toMatchObject({ code: -32010 });
    expect(ran.seen.again).toBe('still here');
    expect(told(ran)).toEqual([[`/js_sensor/mcp/${side}/tools/demo/responses/deny/0`, 'blocked']]);
  });

  test.each(['client', 'server'] as const)('a result is redacted on the %s side', async (side) => {
    const responses = { deny: [{ name: 'danger', regex: 'DANGER' }], action: 'redact' };
    const ran = await dialog(conversation, { client: OFF, server: OFF, [side]: { tools: { '*': { responses } } } });
    expect(ran.seen.danger).toBe('[redacted:danger] x');
    expect(told(ran)).toEqual([[`/js_sensor/mcp/${side}/tools/*/responses/deny/0`, 'redacted']]);
  });

  test('an empty allow_list allows nothing, and rules by server name win over *', async () => {
    const tools = { '*': { deny_list: ['echo'] }, demo: { allow_list: ['echo'] } };
    const ran = await dialog(conversation, { client: { tools, prompts: { '*': { allow_list: [] } } }, server: OFF });
    expect(ran.seen).toMatchObject({ tools: ['echo'], echo: 'hello', prompts: [], greet: { code: -32010 } });
  });
});

/** The program fails to connect: what it prints on stderr is its own affair. */
async function connect(via: string, mcp: JsonObject): Promise<Ran> {
  return await run([await program('v1', 'v1.mjs'), via], { policy: { js_sensor: { remediate: true, mcp } } });
}

describe('servers that may be reached or started', () => {
  test('deny_stdio: the server is not started', async () => {
    const ran = await connect('stdio', { stdio_servers: { deny_stdio: true } });
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('-32010');
    expect(told(ran)).toEqual([['/js_sensor/mcp/stdio_servers/deny_stdio', 'blocked']]);
    expect(ran.lines.filter((line) => line.name === 'process_spawn')).toEqual([]);
  });

  test('deny_stdio: a listed command and its arguments are', async () => {
    const exception = { command: '**/node', args: ['*', 'serve'] };
    const ran = await connect('stdio', { stdio_servers: { deny_stdio: true, exception_list: [exception] } });
    expect([ran.exitCode, told(ran)]).toEqual([0, []]);
  });

  test.each([
    ['http-json', 'deny_http'],
    ['sse', 'deny_sse'],
    ['http-sse', 'force_authentication'],
  ])('%s: %s refuses the connection', async (via, key) => {
    const ran = await connect(via, { http_servers: { [key]: true } });
    expect(ran.exitCode).toBe(1);
    expect(told(ran)).toEqual([[`/js_sensor/mcp/http_servers/${key}`, 'blocked']]);
  });

  test('deny_sse leaves Streamable HTTP alone, and an exception is one', async () => {
    const both = { deny_http: true, deny_sse: true, exception_list: ['http://127.0.0.1:*/mcp'] };
    expect(told(await connect('http-sse', { http_servers: { deny_sse: true } }))).toEqual([]);
    expect(told(await connect('sse', { http_servers: both }))).toEqual([]);
  });
});

async function reach(via: string, mcp: JsonObject): Promise<Ran> {
  return await run([await program('v2', 'v2.mjs'), via, 'auto'], { policy: { js_sensor: { remediate: true, mcp } } });
}

describe('servers that clients of SDK 2.x reach or start', () => {
  test.each([
    ['handler-json', { http_servers: { deny_http: true } }, 'http_servers/deny_http'],
    ['handler-sse', { http_servers: { force_authentication: true } }, 'http_servers/force_authentication'],
    ['serve-stdio', { stdio_servers: { deny_stdio: true } }, 'stdio_servers/deny_stdio'],
  ])('%s: %j refuses the connection', async (via, mcp, rule) => {
    const ran = await reach(via, mcp);
    expect(ran.exitCode).toBe(1);
    expect(told(ran)).toEqual([[`/js_sensor/mcp/${rule}`, 'blocked']]);
    expect(ran.lines.filter((line) => line.name === 'mcp_tool_call')).toEqual([]);
  });

  test('deny_sse is not about Streamable HTTP', async () => {
    expect(told(await reach('handler-sse', { http_servers: { deny_sse: true } }))).toEqual([]);
  });
});

const call = (name: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":{"text":"x"}}}`;

describe('a client that speaks by hand to a server with the sensor', () => {
  const server = { tools: { '*': { deny_list: ['danger'] } } };
  const policy = { js_sensor: { remediate: true, mcp: { server } } };

  async function raw(expected: number, ...lines: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const ran = await run([await program('v1', 'raw.mjs'), String(expected), ...lines], { policy });
    return ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  for (const name of ['danger', ' danger ', 'ｄanger', 'danger\u00a0']) {
    verifies(['MCP-03'], `${JSON.stringify(name)} is the denied tool`, async () => {
      expect(await raw(1, call(name))).toMatchObject([{ id: 1, error: { code: -32010 } }]);
    });
  }

  verifies(['MCP-03'], 'the last of two equal keys counts, as for the server', async () => {
    const line =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"danger","arguments":{"text":"x"}}}';
    expect(await raw(1, line)).toMatchObject([{ error: { code: -32010 } }]);
  });

  verifies(['MCP-01', 'MCP-03'], 'an id that is used twice at once hides nothing from the filter', async () => {
    const list = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
    const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
    const answers = await raw(2, `${list}\n${ping}`);
    expect(JSON.stringify(answers)).toContain('"echo"');
    expect(JSON.stringify(answers)).not.toContain('danger');
  });
});

verifies(['MCP-04'], 'a completion for a denied prompt is refused as the prompt is', async () => {
  const line =
    '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"trick"},"argument":{"name":"a","value":""}}}';
  const policy = { js_sensor: { remediate: true, mcp: { server: { prompts: { '*': { deny_list: ['trick'] } } } } } };
  const ran = await run([await program('v1', 'raw.mjs'), '1', line], { policy });
  const refusal = JSON.parse(ran.stdout) as { readonly error: Refusal };
  expect(refusal.error.code).toBe(-32010);
});

verifies(['MCP-06'], 'observe mode changes no byte of what a server says', async () => {
  const server = { tools: { '*': { deny_list: ['danger'], responses: { deny: [{ name: 'x', regex: 'DANGER' }] } } } };
  const policy = { js_sensor: { remediate: false, mcp: { server } } };
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"danger","arguments":{"text":"\u00fc\ud83d\ude00"}}}',
    '{"jsonrpc":"2.0","id":3,"method":"nothing/such"}',
    'no JSON at all',
    '{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"mem://open"}}',
  ];
  const argv = [await program('v1', 'raw.mjs'), '4', ...lines];
  const plain = await run(argv, { loading: 'none' });
  const watched = await run(argv, { policy });
  // Asked all at once, a server answers in whatever order it is done: the bytes of each answer are compared.
  expect(answersOf(watched)).toEqual(answersOf(plain));
  expect(
    told(watched)
      .map((one) => JSON.stringify(one))
      .toSorted(),
  ).toEqual([
    '["/js_sensor/mcp/server/tools/*/deny_list/0","allowed"]',
    '["/js_sensor/mcp/server/tools/*/deny_list/0","allowed"]',
    '["/js_sensor/mcp/server/tools/*/responses/deny/0","allowed"]',
  ]);
});

/** Lines of standard output, whatever their order. */
function answersOf({ stdout }: Ran): readonly string[] {
  return stdout.trim().split('\n').toSorted();
}
