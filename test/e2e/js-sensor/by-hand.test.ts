import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/core/json.ts';
import { verifies } from '../helpers/verifies.ts';
import { NODES } from './helpers/dialogs.ts';
import { nodeBinary, program } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run, type Ran } from './helpers/run.ts';

const ALL = {
  tools: ['echo', 'danger', 'run', 'ask'],
  resources: ['mem://open', 'mem://secret'],
  prompts: ['greet', 'trick'],
  echo: 'echo ü\u{1f600}',
  danger: 'danger x',
  run: 'ran\n',
  ask: 'sampled',
  open: 'mem://open',
  batch: [['echo', 'danger', 'run', 'ask'], 'danger x'],
  large: 2 ** 20 + 5,
};

async function talk(policy: JsonObject, args: readonly string[] = [], node?: string): Promise<Ran> {
  const ran = await run([await program('v1', 'hand-client.mjs'), ...args], {
    policy,
    ...(node === undefined ? {} : { node }),
  });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  return ran;
}

const named = (ran: Ran, name: string): readonly string[] =>
  ran.lines
    .filter((line) => line.name === name)
    .map(({ body, attributes: at = {} }) =>
      [body['side'], at['mcp.server.name'], at['mcp.method.name'], at['gen_ai.tool.name']]
        .filter((one) => typeof one === 'string')
        .join(' '),
    );

describe.each(NODES)('client and server without an SDK, on Node %i', (major) => {
  for (const side of ['client', 'server'] as const) {
    verifies(['MCP-01', 'MCP-03'], `denied on the ${side} side: hidden, refused, told once each`, async () => {
      const ran = await talk(denyOn(side), [], await nodeBinary(major));
      const refused = expect.objectContaining({ code: -32010 }) as unknown;
      expect(JSON.parse(ran.stdout)).toEqual({
        ...ALL,
        tools: ['echo', 'run', 'ask'],
        resources: ['mem://open'],
        prompts: ['greet'],
        danger: refused,
        secret: refused,
        trick: refused,
        batch: [['echo', 'run', 'ask'], -32010],
      });
      expect(named(ran, 'mcp_violation').filter((one) => one.endsWith('danger'))).toEqual([
        `${side} by hand tools/list danger`,
        `${side} by hand tools/call danger`,
        // The batch: the answer to the list comes after the refusal of the call.
        `${side} by hand tools/call danger`,
        `${side} by hand tools/list danger`,
      ]);
    });
  }
});

test('lines that come byte by byte are judged alike', async () => {
  const ran = await talk(denyOn('server'), ['1']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ tools: ['echo', 'run', 'ask'], danger: { code: -32010 } });
});

verifies(['MCP-06'], 'in observe mode no answer changes, and every call is told once on each side', async () => {
  const ran = await talk({ js_sensor: { remediate: false, mcp: { client: {}, server: {} } } });
  expect(JSON.parse(ran.stdout)).toMatchObject(ALL);
  const calls = named(ran, 'mcp_tool_call');
  expect(calls.filter((one) => one.endsWith(' echo')).toSorted()).toEqual([
    'client by hand tools/call echo',
    'client by hand tools/call echo',
    'server by hand tools/call echo',
    'server by hand tools/call echo',
  ]);
  expect(named(ran, 'mcp_session_started')).toHaveLength(2);
  const spawned = ran.lines.find((line) => line.name === 'process_spawn' && line.body['file'] === '/bin/echo');
  expect(spawned?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'mcp.target.name': 'run' });
});

verifies(['MCP-08'], "a server's request for a model's answer is refused by its method on either side", async () => {
  for (const side of ['client', 'server'] as const) {
    const rules = { methods: { '*': { deny_list: ['sampling/*'] } } };
    const ran = await talk({
      js_sensor: { remediate: true, mcp: { client: { enable: false }, server: { enable: false }, [side]: rules } },
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ ...ALL, ask: 'refused -32010' });
  }
});

test('deny_stdio: the server that was started hears nothing', async () => {
  const mcp = { stdio_servers: { deny_stdio: true } };
  const ran = await run([await program('v1', 'hand-client.mjs')], { policy: { js_sensor: { remediate: true, mcp } } });
  expect(ran.exitCode).not.toBe(0);
  expect(ran.lines.filter((line) => line.name === 'mcp_violation').map((line) => line.violation?.rule)).toEqual([
    '/js_sensor/mcp/stdio_servers/deny_stdio',
  ]);
  expect(named(ran, 'mcp_tool_call')).toEqual([]);
});

/** Programs that read or pipe what is no MCP, with their input and what they print. */
const OTHERS: readonly (readonly [string, string, string])[] = [
  ['text', 'process.stdin.pipe(process.stdout)', 'hello\nüber {"jsonrpc":"2.0"}\n'],
  ['JSON without an end of line', 'process.stdin.pipe(process.stdout)', '{"a":1}'],
  [
    'JSON-RPC that is not MCP',
    'require("readline").createInterface({input:process.stdin}).on("line",l=>console.log(l))',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":null}}\n{"jsonrpc":"2.0","id":2,"method":"x"}\n',
  ],
  [
    'lines of JSON to a child and back',
    'const c=require("child_process").spawn("cat");process.stdin.pipe(c.stdin);c.stdout.pipe(process.stdout)',
    '{"a":1}\n{"b":2}\n[]\nend',
  ],
  ['nothing', 'process.stdin.on("end",()=>console.log("end")).resume()', ''],
];

test.each(OTHERS)('%s is let alone', async (_, source, input) => {
  const policy = { js_sensor: { remediate: true, mcp: { client: {}, server: {} } } };
  const plain = await run(['-e', source], { input, loading: 'none' });
  const watched = await run(['-e', source], { input, policy });
  expect([watched.exitCode, watched.stdout, watched.stderr]).toEqual([plain.exitCode, plain.stdout, plain.stderr]);
  expect(watched.lines.filter((line) => line.domain === 'mcp' || line.name === 'sensor_error')).toEqual([]);
});
