import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { FakePeer } from '../testing/peer.ts';
import { policyOf, recordOf, Scene } from '../testing/scene.ts';
import { until } from '../testing/until.ts';

let scene: Scene;
let socket: Socket;
beforeEach(async () => {
  scene = new Scene();
  await scene.sandboxes.open(recordOf('s1'), policyOf(1), new FakePeer(), undefined);
  socket = createConnection(`${scene.dirs.path('s1')}/sensor.sock`);
  await once(socket, 'connect');
});
afterEach(async () => {
  socket.destroy();
  await scene[Symbol.asyncDispose]();
});

const LINE = {
  v: 1,
  id: 'e1',
  time: 5,
  name: 'mcp_tool_call',
  domain: 'mcp',
  severity: 'INFO',
  scope: 'js_sensor',
  body: { tool: 't' },
  generation: 1,
};

function say(...lines: readonly unknown[]): void {
  for (const line of lines) socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}

test('an event is the sandbox’s, whatever the line says of itself', async () => {
  say({ ...LINE, sandbox: { sandbox_id: 'other' }, policy: { policy_id: 'other' }, class: 'normal' });
  await until('event', () => scene.events.events.length === 1);
  expect(scene.events.events[0]).toMatchObject({
    id: 'e1',
    time: 5,
    class: 'normal',
    sandbox: { sandbox_id: 's1' },
    policy: { policy_id: 'p', generation: 1 },
  });
});

test('a violation is critical', async () => {
  const violation = { rule: '/js_sensor/mcp', mode: 'enforce', action: 'blocked', message: 'no' };
  say({ ...LINE, name: 'mcp_violation', severity: 'ERROR', violation });
  await until('event', () => scene.events.events.length === 1);
  expect(scene.events.events[0]).toMatchObject({ class: 'critical', violation });
});

test('the same id is taken once, on any connection', async () => {
  say(LINE, LINE, { ...LINE, id: 'e2' });
  await until('events', () => scene.events.events.length === 2);
  expect(scene.events.events.map(({ id }) => id)).toEqual(['e1', 'e2']);
});

test('what can not be read is counted and reported, and the next line is heard', async () => {
  say('{', { ...LINE, v: 2 }, { ...LINE, domain: 'pcm' }, 'x'.repeat(1024 * 1024 + 1), LINE);
  await until('event', () => scene.events.names.includes('mcp_tool_call'));
  const rejected = scene.events.events.filter(({ name }) => name === 'sensor_lines_rejected');
  expect(rejected.map(({ body }) => body)).toEqual([{ rejected: 1 }, { rejected: 2 }, { rejected: 4 }]);
});

test('what a sensor lost becomes an event', async () => {
  say({ ...LINE, lost: 7 });
  await until('events', () => scene.events.events.length === 2);
  expect(scene.events.events[1]).toMatchObject({ name: 'sensor_events_lost', class: 'critical', body: { lost: 7 } });
});
