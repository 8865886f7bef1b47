import { beforeEach, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { silentLogger } from '../../core/ports.ts';
import type { Policy } from '../../policy/index.ts';
import type { HelperLink } from '../helper/link.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { EventList } from '../testing/event-list.ts';
import { policyOf, recordOf } from '../testing/scene.ts';
import type { ControlHelper } from './control-helper.ts';
import { ExecControl } from './exec-control.ts';
import { Holding } from './holding.ts';
import { PROBE } from './rules.ts';

const EPERM = 1;
const ENOEXEC = 8;

/** A kernel and its helper in memory: knows what is attached, and what a probe would be answered. */
class FakeKernel implements ControlHelper {
  readonly attached = new Map<unknown, JsonObject>();
  readonly asked: string[] = [];
  readonly restarted: ((link: HelperLink) => Promise<void>)[] = [];
  tell: (event: JsonObject) => void = () => undefined;
  lives = false;
  complete = true;
  /** Decides nothing, whatever it is told. */
  asleep = false;
  broken: UcpError | undefined;
  refuses: UcpError | undefined;
  readonly #link: HelperLink = {
    open: true,
    greeting: {},
    closed: new Promise(() => undefined),
    request: async (op, params) => this.#answer(op, params),
  };

  async link(): Promise<HelperLink> {
    if (this.broken !== undefined) throw this.broken;
    this.lives = true;
    return this.#link;
  }

  async existing(): Promise<HelperLink | undefined> {
    return this.lives ? this.link() : undefined;
  }

  onEvent(listener: (event: JsonObject) => void): void {
    this.tell = listener;
  }

  onRestart(listener: (link: HelperLink) => Promise<void>): void {
    this.restarted.push(listener);
  }

  /** A fresh helper that knows nothing. */
  async restart(): Promise<void> {
    this.attached.clear();
    for (const listener of this.restarted) await listener(this.#link);
  }

  readonly tryExec = async (path: string): Promise<number> => {
    this.asked.push(`try ${path}`);
    const rules = this.attached.get('box');
    const deny = rules?.['deny'];
    const denied = Array.isArray(deny) && deny.some((source) => new RegExp(String(source), 'u').test(path));
    if (this.asleep || !denied) return ENOEXEC;
    this.tell({ type: 'exec_violation', sandbox: 'box', path, list: 'deny', rule: 0, action: 'block', pid: 2 });
    return EPERM;
  };

  #answer(op: string, { sandbox = '', ...params }: JsonObject): JsonObject {
    this.asked.push(op);
    const known = this.attached.has(sandbox);
    if (op !== 'attach' && !known) throw new UcpError('KERNEL_SANDBOX_UNKNOWN', 'unknown');
    if (op === 'attach' && known) throw new UcpError('KERNEL_SANDBOX_EXISTS', 'exists');
    if (op === 'detach') {
      this.attached.delete(sandbox);
      return {};
    }
    if (this.refuses !== undefined && op === 'update') throw this.refuses;
    this.attached.set(sandbox, params);
    return { mounts: 1, files: 1, complete: this.complete, held: HELD };
  }
}

/** A holder in memory. */
class FakeHolder implements ControlHelper {
  readonly held = new Map<unknown, JsonObject>();
  restarted: (link: HelperLink) => Promise<void> = async () => undefined;
  lives = false;
  broken: UcpError | undefined;
  readonly #link: HelperLink = {
    open: true,
    greeting: {},
    closed: new Promise(() => undefined),
    request: async (op, { sandbox = '', ...handles }) => {
      if (this.broken !== undefined) throw this.broken;
      if (op === 'hold') this.held.set(sandbox, handles);
      if (op === 'release') this.held.delete(sandbox);
      return { sandboxes: [...this.held].map(([name, held]) => ({ sandbox: String(name), ...held })) };
    },
  };

  async link(): Promise<HelperLink> {
    if (this.broken?.code === 'HELPER_UNAVAILABLE') throw this.broken;
    this.lives = true;
    return this.#link;
  }

  async existing(): Promise<HelperLink | undefined> {
    return this.lives ? this.#link : undefined;
  }

  onEvent(): void {}

  onRestart(listener: (link: HelperLink) => Promise<void>): void {
    this.restarted = listener;
  }

  /** A fresh holder that has nothing. */
  async restart(): Promise<void> {
    this.held.clear();
    await this.restarted(this.#link);
  }
}

let kernel: FakeKernel;
let holder: FakeHolder;
let events: EventList;
let control: ExecControl;

beforeEach(() => {
  kernel = new FakeKernel();
  holder = new FakeHolder();
  events = new EventList();
  const engine = { inspect: async () => ({ ...FACTS, pid: 77 }) };
  control = new ExecControl({
    helper: kernel,
    holding: new Holding(holder, silentLogger),
    engine,
    events,
    logger: silentLogger,
  });
});

/** What the kernel's helper says for the holder, and the holder for the next one. */
const HELD = { pid: 5, place: 0, state: 3, group: 16384, guard: 7 };

const FACTS = { id: 'c', name: 'box', labels: {}, image: 'i', state: 'running', exitCode: 0 } as const;

function policyWith(exec: Policy['exec'], version = 1): LoadedPolicy {
  const loaded = policyOf(version);
  return { ...loaded, policy: { ...loaded.policy, exec } };
}

const sandbox = (policy: LoadedPolicy, starts = false): Parameters<ExecControl['apply']>[0] => ({
  record: recordOf('box'),
  containerId: 'c',
  policy,
  ...(starts ? { tryExec: kernel.tryExec } : {}),
});

const ENFORCE = { remediate: true, deny_list: ['/bin/a', '/bin/b'] };

test('a start proves the control before its rules are in force, and the probe is nobody’s violation', async () => {
  await control.apply(sandbox(policyWith(ENFORCE), true));
  expect(kernel.asked).toEqual(['detach', `try ${PROBE}`, 'attach', `try ${PROBE}`, 'update', `try ${PROBE}`]);
  expect(kernel.attached.get('box')).toMatchObject({ mode: 'enforce', generation: 1, deny: { length: 2 } });
  expect(events.events).toEqual([]);
  expect(control.inForce('box')).toBe(true);
});

test('a control that is not proven is taken back and refused', async () => {
  kernel.asleep = true;
  await expect(control.apply(sandbox(policyWith(ENFORCE), true))).rejects.toMatchObject({ code: 'CONTROL_UNPROVEN' });
  expect(kernel.attached.size).toBe(0);
});

test('rules that deny the probe itself are still proven', async () => {
  await control.apply(sandbox(policyWith({ remediate: true, deny_list: ['/**'] }), true));
  expect(kernel.attached.get('box')).toMatchObject({ deny: { length: 1 } });
});

test('file systems that are not looked through are refused in enforce mode only', async () => {
  kernel.complete = false;
  await expect(control.apply(sandbox(policyWith(ENFORCE), true))).rejects.toMatchObject({ code: 'CONTROL_UNPROVEN' });
  await control.apply(sandbox(policyWith({ deny_list: ['/a'] }), true));
  expect(kernel.attached.size).toBe(1);
});

test('a policy without exec rules starts no helper', async () => {
  await control.apply(sandbox(policyWith(undefined), true));
  await control.release('box');
  await control.ready(policyWith({ enable: true }));
  expect([kernel.lives, kernel.asked]).toEqual([false, []]);
});

test('an update changes what is attached, attaches what is not, and takes rules off', async () => {
  await control.apply(sandbox(policyWith(ENFORCE)));
  expect(kernel.attached.get('box')).toMatchObject({ pid: 77, generation: 1 });
  await control.apply(sandbox(policyWith({ ...ENFORCE, remediate: false }, 2)));
  expect(kernel.attached.get('box')).toMatchObject({ mode: 'observe', generation: 2 });
  await control.apply(sandbox(policyWith(undefined, 3)));
  expect(kernel.attached.size).toBe(0);
});

test('what the helper lost is told', async () => {
  await control.apply(sandbox(policyWith(ENFORCE)));
  kernel.tell({ type: 'violations_lost', sandbox: 'box', count: 3, reason: 'kinds' });
  expect(events.events).toMatchObject([
    { name: 'sensor_events_lost', sandbox: { sandbox_id: 'box' }, body: { lost: 3, reason: 'kinds' } },
  ]);
});

test('rules that the helper refuses are refused with their place in the policy', async () => {
  await control.apply(sandbox(policyWith(ENFORCE)));
  kernel.refuses = new UcpError('KERNEL_PATTERN_INVALID', 'no', { pointer: '/deny/1' });
  await expect(control.apply(sandbox(policyWith(ENFORCE, 2)))).rejects.toMatchObject({
    code: 'KERNEL_PATTERN_INVALID',
    pointer: '/exec/deny_list/1',
  });
  kernel.tell({ type: 'exec_violation', sandbox: 'box', path: '/bin/a', list: 'deny', rule: 0, generation: 1 });
  expect(events.events[0]?.policy).toMatchObject({ version: 1 });
});

test('observing never keeps a workload from running', async () => {
  kernel.broken = new UcpError('HELPER_UNAVAILABLE', 'no fanotify');
  await control.apply(sandbox(policyWith({ deny_list: ['/a'] }), true));
  expect(control.inForce('box')).toBe(false);
  expect(events.events).toMatchObject([{ name: 'exec_unobserved', body: { cause: 'no fanotify' } }]);
  await expect(control.apply(sandbox(policyWith(ENFORCE), true))).rejects.toMatchObject({ code: 'HELPER_UNAVAILABLE' });
});

test('what can not work here is known before a run, and forgotten when it does', async () => {
  kernel.broken = new UcpError('HELPER_UNAVAILABLE', 'no fanotify');
  await control.ready(policyWith(ENFORCE));
  expect(control.absence).toBe('no fanotify');
  kernel.broken = undefined;
  await control.ready(policyWith(ENFORCE));
  expect(control.absence).toBeUndefined();
});

test('a helper that starts anew gets all rules again', async () => {
  await control.apply(sandbox(policyWith(ENFORCE, 4), true));
  await kernel.restart();
  expect(kernel.attached.get('box')).toMatchObject({ mode: 'enforce', generation: 4, deny: { length: 2 } });
  await control.release('box');
  await kernel.restart();
  expect(kernel.attached.size).toBe(0);
});

test('what is enforced is held, what is only observed is not', async () => {
  await control.apply(sandbox(policyWith(ENFORCE), true));
  expect([...holder.held]).toEqual([['box', HELD]]);
  await control.apply(sandbox(policyWith({ ...ENFORCE, remediate: false }, 2)));
  expect(holder.held.size).toBe(0);
  await control.apply(sandbox(policyWith(ENFORCE, 3)));
  await control.release('box');
  expect(holder.held.size).toBe(0);
});

test('observed rules start no holder', async () => {
  await control.ready(policyWith({ deny_list: ['/a'] }));
  await control.apply(sandbox(policyWith({ deny_list: ['/a'] }), true));
  expect([kernel.lives, holder.lives]).toEqual([true, false]);
});

test('a helper that starts anew goes on with what is held', async () => {
  await control.apply(sandbox(policyWith(ENFORCE), true));
  await kernel.restart();
  expect(kernel.attached.get('box')).toMatchObject({ pid: 77, held: HELD });
});

test('a holder that starts anew holds all that is enforced again', async () => {
  await control.apply(sandbox(policyWith(ENFORCE), true));
  await holder.restart();
  expect([...holder.held]).toEqual([['box', HELD]]);
});

test('a start that nothing can hold is refused, and nothing stays attached', async () => {
  holder.broken = new UcpError('HELPER_UNAVAILABLE', 'no pidfd_getfd');
  await control.ready(policyWith(ENFORCE));
  expect(control.absence).toBe('no pidfd_getfd');
  await expect(control.apply(sandbox(policyWith(ENFORCE), true))).rejects.toMatchObject({ code: 'HELPER_UNAVAILABLE' });
  expect(kernel.attached.size).toBe(0);
  expect(control.inForce('box')).toBe(false);
});

test.each([
  ['deny', 1, 'block', '/exec/deny_list/1', 'ERROR', 'blocked'],
  ['allow', null, 'observe', '/exec/allow_list', 'WARN', 'allowed'],
  ['drift', null, 'block', '/exec/drift', 'ERROR', 'blocked'],
  ['path', null, 'block', '/exec', 'ERROR', 'blocked'],
] as const)('a violation of %s names its rule', async (list, rule, action, pointer, severity, done) => {
  await control.apply(sandbox(policyWith(ENFORCE, 5)));
  kernel.tell({
    type: 'exec_violation',
    sandbox: 'box',
    pid: 7,
    access: 'exec',
    path: '/x',
    generation: 5,
    origin: 'image',
    count: 12,
    pidInside: 3,
    comm: 'sh',
    list,
    rule,
    action,
  });
  expect(events.events).toMatchObject([
    {
      name: 'exec_violation',
      severity,
      class: 'critical',
      sandbox: { sandbox_id: 'box', container_id: 'c' },
      policy: { version: 5, generation: 5 },
      violation: { rule: pointer, action: done },
      attributes: { 'process.executable.path': '/x', 'process.pid': 7 },
      body: { list, path: '/x', origin: 'image', count: 12, pid_inside: 3, comm: 'sh' },
    },
  ]);
});
