import { describe, expect, test } from 'vitest';

import { MAX_POLICY_BYTES } from './bytes.ts';
import { inspectPolicy, parsePolicy } from './parse-policy.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const problems = (document: string | object | Uint8Array) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return inspectPolicy(document instanceof Uint8Array ? document : encode(text)).problems;
};
const head = { policy_id: 'test', version: 1 };
const codes = (document: string | object | Uint8Array) => problems(document).map(({ code }) => code);

describe('PL-01, PL-05: bytes that are no policy', () => {
  test.each([
    ['an empty file', '', 'POLICY_JSON', 1, 1],
    ['no JSON', '{"policy_id":"a",,}', 'POLICY_JSON', 1, 18],
    ['a comment', '{"policy_id":"a" // x\n}', 'POLICY_JSON', 1, 18],
    ['a trailing comma', '{"policy_id":"a",}', 'POLICY_JSON', 1, 18],
    ['a second document', '{}\n{}', 'POLICY_TRAILING_BYTES', 2, 1],
    ['text after the document', '{}\n x', 'POLICY_TRAILING_BYTES', 2, 2],
    ['a NUL after the document', '{}\u0000', 'POLICY_TRAILING_BYTES', 1, 3],
    ['a byte order mark', `\ufeff${JSON.stringify(head)}`, 'POLICY_BOM', 1, 1],
    ['an array', '[]', 'POLICY_TYPE', 1, 1],
    ['too many levels', `{"x-a":\n ${'['.repeat(70)}${']'.repeat(70)}}`, 'POLICY_TOO_DEEP', 2, 65],
  ])('%s is refused with its place', (_, text, code, line, column) => {
    expect(problems(text)[0]).toMatchObject({ code, line, column });
  });

  test('brackets in strings are no levels', () => {
    expect(problems({ ...head, 'x-a': `"\\${'['.repeat(100)}` })).toEqual([]);
  });

  test('invalid UTF-8 is refused with its place', () => {
    const bytes = Buffer.concat([encode('{"x-é":\n"é'), Buffer.from([0xc3, 0x28]), encode('"}')]);
    expect(problems(bytes)).toMatchObject([{ code: 'POLICY_NOT_UTF8', line: 2, column: 3 }]);
  });

  test('more than 8 MiB, or than a smaller bound, is refused before it is read', () => {
    expect(codes(new Uint8Array(MAX_POLICY_BYTES + 1))).toEqual(['POLICY_TOO_LARGE']);
    const small = encode(JSON.stringify(head));
    expect(inspectPolicy(small, { maxBytes: 10 }).problems).toMatchObject([{ code: 'POLICY_TOO_LARGE' }]);
  });

  test.each([
    ['a key twice', '{"version":1,"version":2}', 'POLICY_DUPLICATE_KEY', '/version'],
    ['a key twice, once escaped', '{"version":1,"v\\u0065rsion":2}', 'POLICY_DUPLICATE_KEY', '/version'],
    ['a key twice deep inside', '{"a2a":{"x-a":[{"k":1},{"k":1,"k":2}]}}', 'POLICY_DUPLICATE_KEY', '/a2a/x-a/1/k'],
    ['__proto__', '{"__proto__":{"exec":{}}}', 'POLICY_FORBIDDEN_KEY', '/__proto__'],
    ['a number that overflows', '{"version":1e999}', 'POLICY_NUMBER', '/version'],
    ['an integer that loses digits', '{"version":9007199254740993}', 'POLICY_NUMBER', '/version'],
    ['half of a surrogate pair', '{"policy_id":"\\ud800"}', 'POLICY_NOT_UTF8', '/policy_id'],
    ['half of a surrogate pair in a key', '{"\\udc00":1}', 'POLICY_NOT_UTF8', '/\udc00'],
  ])('%s is refused, with its pointer', (_, text, code, pointer) => {
    expect(problems(text)).toContainEqual(expect.objectContaining({ code, pointer }));
  });

  test('keys of different objects, or of names that objects inherit, are no duplicates', () => {
    const tools = { constructor: { deny_list: ['toString'] }, hasOwnProperty: {} };
    expect(problems({ ...head, js_sensor: { mcp: { client: { tools }, server: { tools } } } })).toEqual([]);
  });
});

const parseTypo = () => parsePolicy(encode(JSON.stringify({ ...head, exec: { denylist: [] } })));

describe('PL-05: documents that the schema refuses', () => {
  test.each([
    [{ exec: { denylist: [] } }, 'POLICY_UNKNOWN_KEY', '/exec/denylist', 'deny_list'],
    [{ exec: { 'deny-list': [] } }, 'POLICY_UNKNOWN_KEY', '/exec/deny-list', 'deny_list'],
    [{ Exec: {} }, 'POLICY_UNKNOWN_KEY', '/Exec', 'exec'],
    [{ network: { web: { egres: [] } } }, 'POLICY_UNKNOWN_KEY', '/network/web/egres', 'egress'],
    [{ llm: { providers: ['opanai'] } }, 'POLICY_VALUE', '/llm/providers/0', 'openai'],
    [{ version: '1' }, 'POLICY_TYPE', '/version'],
    [{ version: 1.5 }, 'POLICY_TYPE', '/version'],
    [{ version: -1 }, 'POLICY_VALUE', '/version'],
    [{ policy_id: '' }, 'POLICY_VALUE', '/policy_id'],
    [{ expires_at: 'tomorrow' }, 'POLICY_VALUE', '/expires_at'],
    [{ exec: null }, 'POLICY_TYPE', '/exec'],
    [{ exec: { deny_list: ['curl'] } }, 'POLICY_GLOB', '/exec/deny_list/0'],
    [{ exec: { deny_list: ['/a', '/usr/[bin'] } }, 'POLICY_GLOB', '/exec/deny_list/1'],
    [{ exec: { deny_list: [''] } }, 'POLICY_GLOB', '/exec/deny_list/0'],
    [{ options: { env: { deny_list: [''] } } }, 'POLICY_GLOB', '/options/env/deny_list/0'],
    [
      { a2a: { agent_card: { name: { deny: [{ name: 'x', regex: '(a)\\1' }] } } } },
      'POLICY_REGEX',
      '/a2a/agent_card/name/deny/0/regex',
    ],
    [{ llm: { redact: { deny: [{ name: 'x', regex: '' }] } } }, 'POLICY_REGEX', '/llm/redact/deny/0/regex'],
    [{ network: { w: { egress: [{ to: ['*.com'], ports: [1] }] } } }, 'POLICY_ADDRESS', '/network/w/egress/0/to/0'],
    [{ network: { w: { ingress: [{ from: ['a.b'], ports: [1] }] } } }, 'POLICY_ADDRESS', '/network/w/ingress/0/from/0'],
    [{ network: { w: { ingress: [{ from: ['::/0'], ports: [0] }] } } }, 'POLICY_PORT', '/network/w/ingress/0/ports/0'],
    [
      { network: { w: { ingress: [{ from: ['::/0'], ports: ['9-1'] }] } } },
      'POLICY_PORT',
      '/network/w/ingress/0/ports/0',
    ],
    [
      { network: { w: { ingress: [{ from: ['::/0'], ports: [true] }] } } },
      'POLICY_PORT',
      '/network/w/ingress/0/ports/0',
    ],
    [{ network: { w: { egress: [{ to: [], ports: [1] }] } } }, 'POLICY_VALUE', '/network/w/egress/0/to'],
    [{ network: { w: { egress: [{ to: ['a.b'] }] } } }, 'POLICY_MISSING_KEY', '/network/w/egress/0/ports'],
    [{ network: { '../x': {} } }, 'POLICY_VALUE', '/network/..~1x'],
    [{ network: { '': {} } }, 'POLICY_VALUE', '/network/'],
    [{ options: { limits: { memory: '1q' } } }, 'POLICY_VALUE', '/options/limits/memory'],
    [{ options: { limits: { memory: 100 } } }, 'POLICY_VALUE', '/options/limits/memory'],
    [{ options: { limits: { cpus: 0 } } }, 'POLICY_VALUE', '/options/limits/cpus'],
    [{ options: { allow_privileged: true } }, 'POLICY_VALUE', '/options/allow_privileged'],
    [{ options: { user: 'a b' } }, 'POLICY_VALUE', '/options/user'],
    [{ langchain: { remediate: true } }, 'POLICY_VALUE', '/langchain/remediate'],
    [{ gateway: { mcp: { client: { tools: { '': {} } } } } }, 'POLICY_VALUE', '/gateway/mcp/client/tools/'],
    [
      { exec: { enable: false }, js_sensor: { enable: false, mcp: { client: { enable: true } } } },
      'POLICY_CONTRADICTION',
      '/js_sensor/mcp/client/enable',
    ],
    [{ exec: { allow_list: ['/a', '/b'], deny_list: ['/b'] } }, 'POLICY_CONTRADICTION', '/exec/allow_list/1'],
    [{ issued_at: '2026-02-01T00:00:00Z', expires_at: '2026-01-01T00:00:00Z' }, 'POLICY_CONTRADICTION', '/expires_at'],
  ])('%j is %s at %s', (part, code, pointer, near?: string) => {
    const found = problems({ ...head, ...part });
    expect(found).toMatchObject([{ code, pointer, ...(near === undefined ? {} : { nearest: near }) }]);
  });

  test('a list that stands for too many patterns is refused, never cut short (EX-15)', () => {
    const braces = `/{${Array.from({ length: 700 }, (_, index) => `a${index}`).join(',')}}`;
    expect(codes({ ...head, exec: { deny_list: Array.from({ length: 150 }, (_, n) => `${braces}/${n}`) } })).toEqual([
      'POLICY_GLOB',
    ]);
  });

  test('a glob whose braces stand for too many patterns is refused, even where most of them are equal', () => {
    const glob = `/{x,y}${'{a,a}'.repeat(10)}`;
    expect(problems({ ...head, exec: { deny_list: [glob] } })).toMatchObject([
      { code: 'POLICY_GLOB', pointer: '/exec/deny_list/0' },
    ]);
  });

  test('a document full of mistakes makes a report of bounded length', () => {
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 1e300]));
    expect(problems(keys).length).toBeLessThanOrEqual(2010);
  });

  test('every problem is reported at once, in the order of the text, each with line and column', () => {
    const text = `{
  "policy_id": 5,
  "exec": { "enable": "yes", "deny_list": ["curl"] },
  "network": { "web": { "egress": [{ "to": ["10.0.0.1/8"], "ports": [70000] }] } },
  "surprise": 1, "surprise": 2
}`;
    expect(problems(text).map(({ code, line, column }) => [code, line, column])).toEqual([
      ['POLICY_MISSING_KEY', 1, 1],
      ['POLICY_TYPE', 2, 16],
      ['POLICY_TYPE', 3, 23],
      ['POLICY_GLOB', 3, 44],
      ['POLICY_ADDRESS', 4, 45],
      ['POLICY_PORT', 4, 70],
      ['POLICY_DUPLICATE_KEY', 5, 18],
      ['POLICY_UNKNOWN_KEY', 5, 18],
    ]);
  });

  test('the error names the first problems in one line and carries all of them', () => {
    expect(parseTypo).toThrow(
      expect.objectContaining({
        code: 'POLICY_INVALID',
        pointer: '/exec/denylist',
        details: { problems: [expect.objectContaining({ nearest: 'deny_list' })] },
      }),
    );
    expect(parseTypo).toThrow(/^[^\n]*\/exec\/denylist.*did you mean "deny_list"\?[^\n]*$/);
  });
});

describe('a canonical policy', () => {
  test('comes back as it is, without the notes of its authors', () => {
    const policy = { ...head, exec: { enable: true, deny_list: ['**/curl'] }, network: { web: { egress: [] } } };
    const noted = { ...policy, 'x-owner': 'me', exec: { ...policy.exec, 'x-why': ['a', { b: 1 }] } };
    expect(parsePolicy(encode(JSON.stringify(noted)))).toEqual(policy);
  });

  test('keeps servers whose names look like notes', () => {
    const policy = { ...head, js_sensor: { mcp: { client: { tools: { 'x-files': { deny_list: ['open'] } } } } } };
    expect(parsePolicy(encode(JSON.stringify(policy)))).toEqual(policy);
  });
});

const asked = (sensor: string, side: object) => codes({ ...head, [sensor]: { mcp: { client: side, server: side } } });

describe('rules that only some sensors decide on', () => {
  const methods = { '*': { deny_list: ['sampling/createMessage'] } };

  test('are known where they are enforced, and an error where nobody enforces them', () => {
    for (const sensor of ['js_sensor', 'python_sensor'])
      expect(asked(sensor, { methods, pin_tools: true })).toEqual([]);
    const server = { methods, pin_tools: true };
    expect(codes({ ...head, gateway: { mcp: { server } } })).toEqual([]);
    expect(asked('gateway', server)).toEqual(['POLICY_UNKNOWN_KEY', 'POLICY_UNKNOWN_KEY']);
  });
});
