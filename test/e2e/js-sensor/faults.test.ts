import { rmSync } from 'node:fs';

import { expect, test } from 'vitest';

import type { SensorLine } from '../../../src/core/sensor-protocol.ts';
import { program } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run } from './helpers/run.ts';
import { Session } from './helpers/session.ts';

const live = (): Promise<string> => program('v1', 'live.mjs');

function violations(lines: readonly SensorLine[]): readonly string[] {
  return lines.filter((line) => line.name === 'mcp_violation').map((line) => line.id);
}

test('a control plane that is absent at first: decisions are made, events arrive later, none twice', async () => {
  await using session = await Session.start([await live(), 'v1', 'memory'], denyOn('client'), { listening: false });
  for (let call = 0; call < 20; call++) expect(await session.ask('call danger')).toMatchObject({ code: -32010 });
  await session.collector.listen();
  await session.collector.until((lines) => violations(lines).length >= 20);
  await session.ask('call danger');
  await session.collector.until((lines) => violations(lines).length >= 21);
  const ids = violations(session.collector.lines);
  expect(new Set(ids).size).toBe(21);
  expect(ids).toHaveLength(21);
});

test('a control plane that is killed and comes back: decisions go on, later events arrive, none twice', async () => {
  await using session = await Session.start([await live(), 'v1', 'memory'], denyOn('client'));
  await session.ask('call danger');
  await session.collector.until((lines) => violations(lines).length === 1);
  await session.collector.close();
  rmSync(session.collector.socket, { force: true });
  for (let call = 0; call < 10; call++) expect(await session.ask('call danger')).toMatchObject({ code: -32010 });
  await session.collector.listen();
  await session.collector.until((lines) => violations(lines).length >= 10);
  const ids = violations(session.collector.lines);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a control plane that reads nothing: the program is not held up, and ends', async () => {
  await using session = await Session.start([await live(), 'v1', 'memory'], denyOn('client'), { paused: true });
  for (let call = 0; call < 3000; call++) await session.ask('call danger');
  expect(await session.ask('list')).toEqual(['echo']);
  expect(await session.end()).toBe(0);
});

/** How many events their program had made when it made the one with this id: ids end in a count. */
function counted(id: string): number {
  return Number.parseInt(id.slice(id.lastIndexOf('-') + 1), 36) + 1;
}

test('a control plane that reads again after the socket was full: what is lost is counted, to the last event', async () => {
  const policy = denyOn('client');
  await using session = await Session.start([await live(), 'v1', 'memory'], policy, { paused: true });
  expect(await session.ask('calls echo 3000')).toBe(0);
  expect(await session.ask('calls danger 9000')).toBe(9000);
  session.collector.resume();
  await session.collector.until((lines) => violations(lines).length > 1000); // there is room again
  const last = (await session.ask('call danger')) as { readonly data: { readonly event_id: string } };
  await session.collector.until((lines) => lines.some((line) => line.id === last.data.event_id));
  const { lines } = session.collector;
  const lost = lines.reduce((sum, line) => sum + (line.lost ?? 0), 0);
  expect(lost).toBeGreaterThan(0);
  expect(new Set(lines.map((line) => line.id)).size).toBe(lines.length);
  expect(lines.length + lost).toBe(counted(last.data.event_id));
});

test('violations have left the process when it is killed', async () => {
  await using session = await Session.start([await live(), 'v1', 'memory'], denyOn('client'));
  await session.ask('call danger');
  session.child.kill('SIGKILL');
  await session.collector.drained();
  expect(violations(session.collector.lines)).toHaveLength(1);
});

test('events that wait are written when the program ends by itself, and it ends as without the sensor', async () => {
  const ran = await run(['-e', 'require("child_process").spawnSync("/bin/true"); process.exitCode = 3'], {
    policy: { js_sensor: {} },
  });
  expect({ code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({ code: 3, stdout: '', stderr: '' });
  expect(ran.lines.map((line) => line.name)).toEqual(['sensor_started', 'process_spawn']);
});

test.each([
  ['an uncaught exception', 'setTimeout(() => { throw new TypeError("boom"); }, 1)'],
  ['an unhandled rejection', 'Promise.reject(new TypeError("boom"))'],
  ['process.exit in the middle', 'console.log("a"); process.exit(7); console.log("b")'],
  ['a listing of globals', 'console.log(Object.keys(globalThis).join(), process.execArgv.length > 9)'],
  [
    'the shape of what is wrapped',
    'const c=require("child_process"); console.log(c.spawnSync.name,c.spawnSync.length,fetch.name,fetch.length,Function.name,(function(){}).constructor===Function,(()=>{}) instanceof Function)',
  ],
  ['a stack trace', 'function f(){ throw new Error("boom"); } try { f(); } catch (e) { console.log(e.stack); }'],
])('%s: the same with and without the sensor', async (_, source) => {
  const plain = await run(['-e', source], { loading: 'none' });
  const watched = await run(['-e', source], { loading: 'require', policy: { js_sensor: {}, llm: {} } });
  expect({ code: watched.exitCode, stdout: watched.stdout, stderr: watched.stderr }).toEqual({
    code: plain.exitCode,
    stdout: plain.stdout,
    stderr: plain.stderr,
  });
});
