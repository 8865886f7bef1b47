import { describe, expect } from 'vitest';

import type { JsonObject } from '../../../src/core/json.ts';
import { verifies } from '../helpers/verifies.ts';
import { NODES } from './helpers/dialogs.ts';
import { overHttp, type Served } from './helpers/http.ts';
import { nodeBinary } from './helpers/packages.ts';

const FULL = process.env['UCP_FULL'] === '1';

/** Finds something in nearly every message, and must change none. */
const rules: JsonObject = {
  pin_tools: true,
  methods: { '*': { deny_list: ['prompts/*', 'logging/*'] } },
  tools: {
    '*': {
      deny_list: ['danger'],
      arguments: { deny: [{ name: 'greeting', regex: 'h[aeiou]llo' }], action: 'redact' },
      responses: { deny: [{ name: 'danger', regex: 'DANGER|still' }], action: 'redact' },
    },
  },
  resources: { '*': { deny_list: ['mem://secret'] } },
  prompts: { '*': { allow_list: [] } },
};
const mcp: JsonObject = { client: rules, server: rules, http_servers: { deny_http: true, deny_sse: true } };
const OBSERVE: JsonObject = { js_sensor: { remediate: false, mcp }, llm: {} };

const SERVED: readonly Served[] = [
  ['v1', 'v1', 'http-json'],
  ['v1', 'v1', 'sse'],
  ['v2', 'v2', 'handler-sse'],
];
const MORE: readonly Served[] = [
  ['v1', 'v1', 'http-sse'],
  ['v2', 'v2', 'handler-json'],
  ['v2', 'v2', 'http-json'],
  ['v2', 'v2', 'http-sse'],
  ['v1-old', 'v1', 'http-json'],
  ['v1-old', 'v1', 'http-sse'],
  ['v1-old', 'v1', 'sse'],
];

describe.each(FULL ? NODES : ([24] as const))('on Node %i', (major) => {
  for (const served of FULL ? [...SERVED, ...MORE] : SERVED) {
    verifies(['MCP-06'], `observe mode changes no byte over HTTP: ${served.join(' ')}`, async () => {
      const node = await nodeBinary(major);
      const [, line, kind] = served;
      const talk = (policy?: JsonObject) =>
        overHttp(
          served,
          async ({ port }, start) => void (await start('http-client.mjs', line, kind, `http://127.0.0.1:${port}/mcp`)),
          { policy, node },
        );
      const [plain, watched] = await Promise.all([talk(), talk(OBSERVE)]);
      expect(JSON.parse(plain.stdout)).toMatchObject({ danger: 'DANGER x', secret: 'secret', trick: 'trick' });
      expect([watched.stdout, watched.stderr]).toEqual([plain.stdout, plain.stderr]);
      expect(watched.exchanges).toEqual(plain.exchanges);
      expect(plain.exchanges.length).toBeGreaterThan(11);
      const broken = watched.lines.flatMap(({ violation, body }) =>
        violation === undefined ? [] : [JSON.stringify([body['side'], violation.action])],
      );
      expect(new Set(broken)).toEqual(new Set(['["client","allowed"]', '["server","allowed"]']));
      expect(broken.length).toBeGreaterThan(15);
    });
  }
});

/** A request as it goes over the wire. */
function post(headers: Readonly<Record<string, string>>, body: string): string {
  const all = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const HELLO =
  '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}';
const BATCH = [
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"danger","arguments":{"text":"hello \u00fc\ud83d\ude00"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":"3","method":"resources/read","params":{"uri":"mem://secret"}}',
  '{"jsonrpc":"2.0","id":4,"method":"nothing/such"}',
];

describe.each(FULL ? ['http-json', 'http-sse'] : ['http-sse'])('a batch over %s', (kind) => {
  const talk = (policy?: JsonObject) =>
    overHttp(
      ['v1', 'v1', kind],
      async (recorder) => {
        const Host = `127.0.0.1:${recorder.port}`;
        const greeted = await recorder.ask(post({ Host }, HELLO));
        const session = /^mcp-session-id: (.*)\r$/im.exec(greeted)?.[1] ?? '';
        await recorder.ask(post({ Host, 'Mcp-Session-Id': session }, `[${BATCH.join(',')}]`));
      },
      { policy },
    );

  verifies(['MCP-06'], 'is answered as without the sensor, byte for byte, where policy observes', async () => {
    const [plain, watched] = await Promise.all([talk(), talk(OBSERVE)]);
    expect(watched.exchanges).toEqual(plain.exchanges);
    expect(plain.exchanges).toHaveLength(2);
    for (const expected of ['DANGER hello', '"secret"', '-32601', '"danger"']) {
      expect(plain.exchanges.map(({ response }) => response).join('')).toContain(expected);
    }
    expect(watched.lines.filter(({ violation }) => violation?.action === 'allowed').length).toBeGreaterThan(3);
  });
});

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

/** What a server that guards itself is asked, and its status. */
const KNOCKS: readonly (readonly [string, number, Readonly<Record<string, string>>])[] = [
  ['no token', 401, { Authorization: '' }],
  ['another token', 401, { Authorization: 'Bearer wrong' }],
  ['the name of another host, as after DNS rebinding', 403, { Host: 'evil.example' }],
  ['a page of another origin', 403, { Origin: 'http://evil.example' }],
];

describe.each(['v1', 'v2'] as const)('a server of SDK %s with checks of Host, Origin and token', (line) => {
  const talk = (policy?: JsonObject) =>
    overHttp(
      [line, line, 'guarded'],
      async (recorder) => {
        const knock = async (headers: Readonly<Record<string, string>>, body: string): Promise<string> => {
          const all = { Host: `127.0.0.1:${recorder.port}`, Authorization: 'Bearer right', ...headers };
          return await recorder.ask(post(all, body));
        };
        await knock({}, HELLO);
        for (const [, , headers] of KNOCKS) await knock(headers, CALL);
      },
      { policy },
    );

  verifies(['MCP-05'], 'lets in and refuses with the sensor whom it does without, byte for byte', async () => {
    const enforced = { js_sensor: { remediate: true, mcp: { client: {}, server: rules } } };
    const [plain, watched] = await Promise.all([talk(), talk(enforced)]);
    expect(watched.address).toBe('127.0.0.1');
    expect(watched.exchanges).toEqual(plain.exchanges);
    const statusOf = (part: string): number | undefined => {
      const { response } = plain.exchanges.find(({ request }) => request.includes(part)) ?? { response: '' };
      return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);
    };
    const marks = ['Authorization: \r\n', 'wrong', 'Host: evil', 'Origin: http://evil'];
    expect(marks.map(statusOf)).toEqual(KNOCKS.map(([, status]) => status));
    expect(statusOf('initialize')).toBe(200);
    expect(watched.lines.filter(({ name }) => name === 'mcp_session_started')).toHaveLength(1);
  });
});
