import { existsSync, mkdirSync } from 'node:fs';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { LABEL } from '../../core/labels.ts';
import type { RunRequest } from '../../core/run-request.ts';
import { FakeInit } from '../testing/fake-init.ts';
import { FakePeer } from '../testing/peer.ts';
import { LEASE, policyOf, recordOf, Scene } from '../testing/scene.ts';
import { until } from '../testing/until.ts';
import { isRunning } from '../helper/process-identity.ts';
import { adoptSandboxes } from './adopt.ts';
import type { SandboxControl } from './control.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** What an earlier control plane left of a sandbox. */
function left(id: string, request: Partial<RunRequest>, facts: Parameters<Scene['contain']>[1] = {}): void {
  scene.dirs.create(id);
  scene.dirs.writeRecord(recordOf(id, request));
  scene.contain(id, facts);
}

const DETACHED = { mode: 'detached', remove: false } as const;
const adopt = (alive: boolean) => adoptSandboxes(scene.context, scene.sandboxes, () => alive);

test('LC-05: a detached sandbox that runs is taken back, its sockets in the same directory', async () => {
  left('s1', DETACHED);
  await adopt(false);
  expect(scene.sandboxes.list(false)).toMatchObject([{ sandboxId: 's1', state: 'running', containerId: 'c-s1' }]);
  expect(existsSync(`${scene.dirs.path('s1')}/sensor.sock`)).toBe(true);
});

test('a sandbox that runs gets the policy in force when it is taken back', async () => {
  left('s1', DETACHED);
  scene.policy = () => policyOf(5);
  await adopt(false);
  await until('policy', () => scene.registry.byId('s1')?.policy?.ref.generation === 5);
  expect(existsSync(`${scene.dirs.path('s1')}/policy.json`)).toBe(true);
});

test('a control that fails when a sandbox is taken back is tried until it is in force', async () => {
  let tried = 0;
  const control: SandboxControl = {
    name: 'exec',
    apply: async () => {
      tried += 1;
      if (tried < 3) throw new Error('its helper was killed');
    },
    release: async () => undefined,
  };
  await using guarded = new Scene([control]);
  guarded.dirs.create('s1');
  guarded.dirs.writeRecord(recordOf('s1', DETACHED));
  guarded.contain('s1');
  await adoptSandboxes(guarded.context, guarded.sandboxes, () => false);
  for (const [attempt, pause] of [200, 500].entries()) {
    await until('a pause', () => tried === attempt + 1 && guarded.clock.next === pause);
    guarded.clock.advance(pause);
  }
  await until('in force', () => tried === 3);
  expect(guarded.clock.next).toBeUndefined();
});

test('a sandbox that was taken back asks again at its next start, and nobody can do so for it while it runs', async () => {
  left('s1', DETACHED);
  await adopt(false);
  const impostor = await FakeInit.start(scene.dirs.path('s1'));
  await until('held', () => scene.clock.next === 10_000);
  scene.clock.advance(10_000);
  await until('closed', () => impostor.closed);
  scene.engine.die('c-s1', 1);
  const init = await FakeInit.start(scene.dirs.path('s1'));
  await until('go', () => init.text !== '');
  expect([impostor.text, init.text]).toEqual(['', 'go -\n']);
});

test('an attached sandbox goes when its front end is dead', async () => {
  left('s1', { mode: 'attached' });
  await adopt(false);
  await until('grace', () => scene.clock.next === 700);
  scene.clock.advance(700);
  await until('gone', () => scene.engine.containers.size === 0);
  expect(existsSync(scene.dirs.path('s1'))).toBe(false);
});

test('an attached sandbox whose front end lives stays when that comes back in time', async () => {
  left('back', { mode: 'attached' });
  left('lost', { mode: 'attached' });
  await adopt(true);
  scene.sandboxes.reattach('back', LEASE, new FakePeer());
  scene.clock.advance(10_000);
  await until('grace', () => scene.clock.next === 700);
  scene.clock.advance(700);
  await until('gone', () => scene.engine.containers.size === 1);
  expect([...scene.engine.containers.keys()]).toEqual(['c-back']);
});

test('an exited detached sandbox can be started again', async () => {
  left('s1', DETACHED, { state: 'exited', exitCode: 4 });
  await adopt(false);
  expect(scene.sandboxes.list(true)).toMatchObject([{ state: 'exited', exitCode: 4 }]);
  const init = await FakeInit.start(scene.dirs.path('s1'));
  await until('go', () => init.text === 'go -\n');
});

test('what is half made or belongs to nobody is removed, what is of another control plane stays', async () => {
  left('half', DETACHED, { state: 'created' });
  scene.contain('recordless');
  scene.engine.add('theirs', { [LABEL.sandbox]: 'x', [LABEL.owner]: 'them' });
  mkdirSync(scene.dirs.path('leftover'));
  scene.dirs.writeRecord(recordOf('unmade'));
  await adopt(true);
  await until('removed', () => scene.engine.containers.size === 1);
  await until('half gone', () => scene.registry.all().length === 0);
  expect([...scene.engine.containers.keys()]).toEqual(['theirs']);
  expect(scene.dirs.ids()).toEqual([]);
});

test('a lease holder is told from another process of the same number', () => {
  expect(isRunning({ ...LEASE, pid: process.pid })).toBe(false);
});
