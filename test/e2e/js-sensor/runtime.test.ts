import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SensorLine } from '../../../src/core/sensor-protocol.ts';
import { NODES } from './helpers/dialogs.ts';
import { nodeBinary, program } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { PRELOAD, run } from './helpers/run.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** `id name` of the request that caused each event, counted. */
function causes(lines: readonly SensorLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { attributes: at = {} } of lines) {
    const cause = JSON.stringify([at['jsonrpc.request.id'], at['mcp.target.name']]);
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return counts;
}

test('a native addon that a program loads is told', async () => {
  const addon = globSync('node_modules/@rolldown/binding-*/*.node', { cwd: ROOT })[0] ?? '';
  expect(addon).not.toBe('');
  const source = `require(${JSON.stringify(join(ROOT, addon))}); console.log('loaded')`;
  const ran = await run(['-e', source], { policy: { js_sensor: {} } });
  expect(ran).toMatchObject({ exitCode: 0, stdout: 'loaded\n', stderr: '' });
  const told = ran.lines.filter((line) => line.name === 'native_addon');
  expect(told.map((line) => line.body['file'])).toEqual([join(ROOT, addon)]);
});

/** A port where nobody listens, and that `fetch` doesn't refuse by itself. */
const NOWHERE = '127.0.0.1:2';

test.each([
  ['http', `require('http').get('http://${NOWHERE}').on('error', () => {})`],
  ['https', `require('node:https').get('https://${NOWHERE}').on('error', () => {})`],
  ['tls', `process.getBuiltinModule('tls').connect(2, '127.0.0.1').on('error', () => {})`],
  ['fetch', `fetch('http://${NOWHERE}').catch(() => {})`],
  ['WebSocket', `import("data:text/javascript,new WebSocket('ws://${NOWHERE}').onerror = () => {}")`],
  ['an ES module', `import('node:http').then(({ get }) => get('http://${NOWHERE}').on('error', () => {}))`],
])('the first connection of a program that loads no more than %s is told', async (_, source) => {
  const ran = await run(['-e', source], { loading: 'require', policy: { js_sensor: {} } });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  const told = ran.lines.filter((line) => line.name === 'network_connect');
  expect(told.map((line) => line.attributes?.['server.port'])).toContain(2);
});

test.each([
  ['ES modules', `import('node:child_process').then(({ spawnSync }) => spawnSync('true'))`],
  ['CommonJS', `const { execFileSync } = require('child_process'); execFileSync('true')`],
  ['getBuiltinModule', `process.getBuiltinModule('child_process').spawn('true')`],
  [
    'cluster',
    `const c = require('cluster'); c.setupPrimary({ exec: '/dev/null', execArgv: [] }); c.fork().process.kill('SIGKILL')`,
  ],
])('the first child of a program that asks by %s is told', async (_, source) => {
  const ran = await run(['-e', source], { loading: 'require', policy: { js_sensor: {} } });
  expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  expect(ran.lines.filter((line) => line.name === 'process_spawn')).not.toEqual([]);
});

test('Electron says what it is, and is under the same rules as Node', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ucp-js-'));
  const disguise = join(directory, 'electron.cjs');
  writeFileSync(disguise, "Object.defineProperty(process.versions, 'electron', { value: '44.0.0' });");
  const flags = ['--require', disguise, '--require', PRELOAD];
  const ran = await run([await program('v1', 'v1.mjs'), 'memory'], {
    flags,
    loading: 'none',
    policy: denyOn('client'),
  });
  rmSync(directory, { recursive: true });
  expect(ran.lines.find((line) => line.name === 'sensor_started')?.body).toMatchObject({ runtime: 'electron' });
  expect(JSON.parse(ran.stdout)).toMatchObject({ tools: ['echo'], danger: { code: -32010 } });
});

describe.each(NODES)('on Node %i', (major) => {
  test('twenty calls at once: every event names the call that caused it', async () => {
    const policy = { js_sensor: { mcp: { client: {} }, runtime: { fs: true } } };
    const ran = await run([await program('v1', 'causes.mjs')], { node: await nodeBinary(major), policy });
    expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    const spawns = ran.lines.filter((line) => line.name === 'process_spawn');
    const inside = spawns.filter((line) => JSON.stringify(line.body['args']) !== '["outside"]');
    expect(inside).toHaveLength(40);
    const marks = new Map<string, string>();
    for (const { body, attributes: at = {} } of inside) {
      const id = at['jsonrpc.request.id'] as string;
      const mark = JSON.stringify(body['args']);
      expect(at).toMatchObject({
        'mcp.method.name': 'tools/call',
        'mcp.target.name': 'work',
        'mcp.server.name': 'causes',
      });
      expect(marks.get(id) ?? mark).toBe(mark);
      marks.set(id, mark);
    }
    expect(new Set(marks.values()).size).toBe(20);
    const outside = spawns.filter((line) => !inside.includes(line));
    expect(outside.map((line) => line.attributes?.['jsonrpc.request.id'])).toEqual([undefined]);
    const connects = ran.lines.filter((line) => line.name === 'network_connect');
    expect([...causes(connects).values()]).toEqual(Array.from({ length: 20 }, () => 1));
    const writes = ran.lines.filter((line) => line.name === 'file_write');
    expect([...causes(writes).values()]).toEqual(Array.from({ length: 20 }, () => 2));
    const code = ran.lines.filter((line) => line.name === 'code_from_string');
    expect(new Set(code.map((line) => line.body['by']))).toEqual(
      new Set(['vm.runInThisContext', 'vm.Script', 'Function']),
    );
    expect([...causes(code).values()]).toEqual(Array.from({ length: 20 }, () => 3));
  });

  test('what policy switches off is not told', async () => {
    const policy = { js_sensor: { runtime: { exec: false, network: false } } };
    const ran = await run([await program('v1', 'causes.mjs')], { node: await nodeBinary(major), policy });
    expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    const names = new Set(ran.lines.filter((line) => line.domain === 'runtime').map((line) => line.name));
    expect(names).toEqual(new Set(['sensor_started', 'code_from_string']));
  });
});
