import { beforeEach, expect, test, vi } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import type { NewEvent } from '../../core/events.ts';
import { silentLogger } from '../../core/ports.ts';
import type { Policy } from '../../policy/index.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { EventList } from '../testing/event-list.ts';
import { FakeHelper } from '../testing/fake-helper.ts';
import { policyOf, recordOf } from '../testing/scene.ts';
import { TraceControl } from './trace-control.ts';

const SECOND = 1e9;
const CALL = { 'jsonrpc.request.id': '7', 'mcp.method.name': 'tools/call', 'mcp.target.name': 'build' };
const LINEAGE = [{ pid: 900, pidInside: 20, born: 2 * SECOND, by: 5, comm: 'sh' }];
const SANDBOX = { sandbox_id: 'box', name: 'box' };
const VIOLATION: NewEvent = {
  name: 'exec_violation',
  domain: 'exec',
  severity: 'ERROR',
  class: 'critical',
  scope: 'test',
  sandbox: SANDBOX,
  attributes: { 'process.pid': 900 },
  body: {},
};

let helper: FakeHelper;
let events: EventList;
let control: TraceControl;

beforeEach(() => {
  helper = new FakeHelper();
  events = new EventList();
  const engine = {
    inspect: async () =>
      ({ id: 'c', name: 'box', labels: {}, image: 'i', state: 'running', exitCode: 0, pid: 77 }) as const,
  };
  control = new TraceControl({ helper, engine, events, logger: silentLogger, clock: new ManualClock() });
});

function policyWith(exec: Policy['exec']): LoadedPolicy {
  const loaded = policyOf(1);
  return { ...loaded, policy: { ...loaded.policy, exec } };
}

const start = (exec: Policy['exec']): Promise<void> =>
  control.apply({ record: recordOf('box'), containerId: 'c', policy: policyWith(exec), tryExec: async () => 0 });

/** What a sensor says before its thread 5 starts a process for a call. */
function announce(): void {
  const body = { tid: 5, clock_ns: SECOND };
  const said = { name: 'process_spawn', domain: 'runtime', severity: 'INFO', class: 'normal', scope: 's' } as const;
  control.hearing(new EventList()).emit({ ...said, id: 'e1', sandbox: SANDBOX, attributes: CALL, body });
}

test.each([
  ['with a rule', { deny_list: ['/a'] }, ['attach']],
  ['that asks for events', { events: true }, ['attach']],
  ['with a rule and without events', { deny_list: ['/a'], events: false }, []],
  ['without rules', { enable: true }, []],
  ['that is off', { enable: false, deny_list: ['/a'] }, []],
])('an exec section %s has its processes observed or not', async (_, exec, ops) => {
  await start(exec);
  expect(helper.ops).toEqual(ops);
});

test('a start that nobody can observe goes on, and an event says so', async () => {
  helper.refuses = new UcpError('HELPER_GONE', 'gone');
  await start({ deny_list: ['/a'] });
  expect(events.names).toEqual(['process_unobserved']);
});

test('a process of a call is told of with the call', async () => {
  await start({ deny_list: ['/a'] });
  announce();
  helper.say({ type: 'process_exec', sandbox: 'box', path: '/bin/sh', lineage: LINEAGE });
  await vi.waitFor(() => expect(events.names).toEqual(['process_exec']));
  expect(events.events[0]).toMatchObject({ attributes: { ...CALL, 'gen_ai.tool.name': 'build' } });
});

test('a violation of a call is told of with the call, once, before the control plane ends', async () => {
  await start({ deny_list: ['/a'] });
  announce();
  helper.answer = { lineage: LINEAGE };
  control.attributing(events).emit(VIOLATION);
  expect(events.names).toEqual([]);
  await control.settled();
  expect(events.events).toMatchObject([{ name: 'exec_violation', attributes: { ...CALL, 'process.pid': 900 } }]);
});

test('a violation is told of without its cause where the observer does not answer', async () => {
  await start({ deny_list: ['/a'] });
  announce();
  helper.refuses = new UcpError('HELPER_GONE', 'gone');
  control.attributing(events).emit(VIOLATION);
  await control.settled();
  expect(events.events).toEqual([VIOLATION]);
});

test('an observer that comes back is told of its sandboxes, and what nobody saw is an event', async () => {
  await start({ deny_list: ['/a'] });
  await helper.restart(await helper.link());
  expect(helper.ops).toEqual(['attach', 'attach']);
  expect(events.events).toMatchObject([{ name: 'sensor_events_lost', body: { lost: null, reason: 'restart' } }]);
});
