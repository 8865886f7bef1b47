import { existsSync, readFileSync, statSync } from 'node:fs';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { FakeInit } from '../testing/fake-init.ts';
import { FakePeer } from '../testing/peer.ts';
import { LEASE, policyOf, recordOf, Scene } from '../testing/scene.ts';
import { until } from '../testing/until.ts';
import type { Sandbox } from './sandbox.ts';

const MARKER = 'ab'.repeat(16);

let scene: Scene;
let peer: FakePeer;
beforeEach(() => {
  scene = new Scene();
  peer = new FakePeer();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** A sandbox whose container exists. */
async function made(
  id: string,
  request: Parameters<typeof recordOf>[1] = {},
  more: { terminal?: { columns: number; rows: number } } = {},
): Promise<{ sandbox: Sandbox; dir: string }> {
  const sandbox = await scene.sandboxes.open(recordOf(id, request), policyOf(1), peer, MARKER);
  scene.sandboxes.created(id, { containerId: scene.contain(id), imageId: 'sha256:0', ...more });
  return { sandbox, dir: scene.dirs.path(id) };
}

/** The same, and its workload runs. */
async function running(id: string, request: Parameters<typeof recordOf>[1] = {}) {
  const { sandbox, dir } = await made(id, request);
  const init = await FakeInit.start(dir);
  await until('go', () => init.text !== '');
  return { sandbox, dir, init };
}

describe('a start', () => {
  test('is reported, then let go with the marker, and its exit code reaches the front end', async () => {
    const { sandbox, init } = await running('s1');
    expect(init.text).toBe(`go ${MARKER}\n`);
    expect(scene.events.names).toEqual(['sandbox_started']);
    init.say('exit 3\n');
    await until('exit', () => sandbox.state === 'exited');
    expect(peer.heard).toEqual([
      { event: 'started', sandboxId: 's1' },
      { event: 'exited', sandboxId: 's1', exitCode: 3 },
    ]);
    expect(scene.events.events.at(-1)).toMatchObject({ name: 'sandbox_exited', body: { exit_code: 3 } });
  });

  test('has directory, sockets and policy file that any user of a container can use', async () => {
    const { dir } = await running('s1');
    const mode = (name: string): number => statSync(`${dir}${name}`).mode & 0o777;
    expect([mode(''), mode('/init.sock'), mode('/sensor.sock'), mode('/policy.json')]).toEqual([
      0o755, 0o666, 0o666, 0o644,
    ]);
    expect(statSync(`${scene.dir}/sandboxes`).mode & 0o777).toBe(0o700);
  });

  test('counts only its first connection', async () => {
    const { dir, init } = await running('s1');
    const second = await FakeInit.start(dir);
    await until('closed', () => second.closed);
    expect([second.text, init.closed]).toEqual(['', false]);
  });

  test('is not believed from a process that outlives init until the container is dead', async () => {
    const { sandbox, dir, init } = await running('s1', { mode: 'detached', remove: false });
    init.say('exit 0\n');
    init.end();
    await until('exit', () => sandbox.state === 'exited');
    const impostor = await FakeInit.start(dir);
    impostor.end();
    scene.engine.die('c-s1', 0);
    await until('dead', () => sandbox.died.isSet);
    const again = await FakeInit.start(dir);
    await until('go', () => again.text !== '');
    expect([impostor.text, again.text]).toEqual(['', 'go -\n']);
    expect(scene.events.names).toEqual(['sandbox_started', 'sandbox_exited', 'sandbox_started']);
  });

  test('gets the policy in force now, whoever caused it', async () => {
    const { sandbox, dir, init } = await running('s1', { mode: 'detached', remove: false });
    expect(sandbox.policy?.ref.generation).toBe(1);
    init.say('exit 0\n');
    scene.engine.die('c-s1', 0);
    init.end();
    await until('init gone', () => init.closed);
    scene.policy = () => policyOf(2);
    const again = await FakeInit.start(dir);
    await until('go', () => again.text !== '');
    expect(sandbox.policy?.ref.generation).toBe(2);
    expect(JSON.parse(readFileSync(`${dir}/policy.json`, 'utf8'))).toMatchObject({ generation: 2 });
  });

  test('gets a policy that came between its preparation and its start', async () => {
    const { sandbox, dir } = await made('s1');
    scene.policy = () => policyOf(2);
    const init = await FakeInit.start(dir);
    await until('go', () => init.text !== '');
    expect(sandbox.policy?.ref.generation).toBe(2);
  });

  test('does not happen when the policy in force now refuses it', async () => {
    const { dir, init } = await running('s1', { mode: 'detached', remove: false });
    init.say('exit 0\n');
    scene.engine.die('c-s1', 0);
    init.end();
    await until('init gone', () => init.closed);
    scene.policy = () => {
      throw new UcpError('OPTIONS_REFUSED', 'no such volume');
    };
    const again = await FakeInit.start(dir);
    await until('answer', () => again.text !== '');
    expect(again.text).toBe('no no such volume\n');
    expect(scene.events.names.at(-1)).toBe('sandbox_refused');
  });

  test("has the size of the user's terminal before its workload runs", async () => {
    const { dir } = await made('s1', {}, { terminal: { columns: 91, rows: 33 } });
    const init = await FakeInit.start(dir);
    await until('go', () => init.text !== '');
    expect(scene.engine.asked).toContain('resize 91x33 c-s1');
  });

  test('tells nothing to a client that is not init', async () => {
    const { dir } = await made('s1');
    for (const words of ['hello\n', 'exit 0\n', 'x'.repeat(100)]) {
      const stranger = await FakeInit.start(dir, words);
      await until('closed', () => stranger.closed);
      expect(stranger.text).toBe('');
    }
    expect(scene.events.names).toEqual([]);
  });
});

describe('a control', () => {
  test('that fails keeps the workload from running, with its name', async () => {
    const released: string[] = [];
    await using own = new Scene([
      {
        name: 'exec',
        apply: () => Promise.reject(new UcpError('INTERNAL', 'no fanotify')),
        release: async (id) => void released.push(id),
      },
    ]);
    await own.sandboxes.open(recordOf('s1'), policyOf(1), peer, MARKER);
    own.sandboxes.created('s1', { containerId: own.contain('s1'), imageId: 'sha256:0' });
    const init = await FakeInit.start(own.dirs.path('s1'));
    await until('answer', () => init.text !== '');
    expect(init.text).toMatch(/^no .*exec.*no fanotify \(INTERNAL\)\n$/);
    expect(peer.heard).toMatchObject([{ event: 'refused', error: { code: 'CONTROL_FAILED' } }]);
    own.engine.die('c-s1', 125);
    await until('released', () => released.length > 0);
  });

  test('that the user does without is not applied', async () => {
    const applied: string[] = [];
    const control = { name: 'exec', apply: async () => void applied.push('exec'), release: async () => undefined };
    await using own = new Scene([control]);
    const degraded = [{ control: 'exec', reason: 'r', consent: 'allowed' }] as const;
    await own.sandboxes.open({ ...recordOf('s1'), degraded }, policyOf(1), peer, MARKER);
    const init = await FakeInit.start(own.dirs.path('s1'));
    await until('go', () => init.text !== '');
    expect(applied).toEqual([]);
  });
});

describe('LC-01: a lost lease', () => {
  test('ends the workload by TERM and removes everything after a short grace', async () => {
    const { sandbox, dir } = await running('s1');
    peer.close();
    await until('grace', () => scene.clock.next === 700);
    expect(scene.engine.asked).toContain('kill SIGTERM c-s1');
    expect(scene.engine.asked).not.toContain('remove c-s1');
    scene.clock.advance(700);
    await until('gone', () => sandbox.gone.isSet);
    expect([scene.engine.containers.size, existsSync(dir), scene.registry.all()]).toEqual([0, false, []]);
    expect(scene.events.names).toContain('sandbox_lease_lost');
  });

  test('removes a container that the engine was still creating', async () => {
    await scene.sandboxes.open(recordOf('s1'), policyOf(1), peer, MARKER);
    peer.close();
    await until('first look', () => scene.registry.all().length === 0);
    scene.contain('s1', { state: 'created' });
    scene.clock.advance(100);
    await until('removed', () => scene.engine.containers.size === 0);
    expect(scene.engine.asked).toContain('remove c-s1');
  });

  test('keeps trying while the engine does not answer', async () => {
    const { sandbox } = await running('s1');
    scene.engine.broken = new UcpError('ENGINE_UNREACHABLE', 'gone');
    peer.close();
    await until('grace', () => scene.clock.next === 700);
    scene.clock.advance(700);
    await until('first try', () => scene.engine.asked.includes('remove c-s1'));
    scene.engine.broken = undefined;
    await until('pause', () => scene.clock.next !== undefined);
    scene.clock.advance(200);
    await until('gone', () => sandbox.gone.isSet);
    expect(scene.engine.containers.size).toBe(0);
  });

  test('does not touch a detached sandbox that runs', async () => {
    const { sandbox } = await running('s1', { mode: 'detached', remove: false });
    peer.close();
    expect([sandbox.state, sandbox.removal]).toEqual(['running', undefined]);
  });
});

describe('an end', () => {
  test('that init could not tell comes from the engine', async () => {
    const { sandbox, init } = await running('s1');
    init.end();
    scene.engine.die('c-s1', 137);
    await until('exit', () => sandbox.state === 'exited');
    expect(peer.heard.at(-1)).toEqual({ event: 'exited', sandboxId: 's1', exitCode: 137 });
  });

  test('is reported once, and an attached sandbox removed when its front end is done', async () => {
    const { sandbox, init } = await running('s1');
    init.say('exit 0\n');
    await until('exit', () => sandbox.state === 'exited');
    scene.engine.die('c-s1', 0);
    expect(scene.engine.asked).not.toContain('remove c-s1');
    peer.close();
    await until('gone', () => sandbox.gone.isSet);
    expect(scene.events.names).toEqual(['sandbox_started', 'sandbox_exited']);
  });

  test('removes a detached sandbox only where --rm says so', async () => {
    await running('keep', { mode: 'detached', remove: false });
    const { sandbox } = await running('remove', { mode: 'detached', remove: true });
    scene.engine.die('c-keep', 1);
    scene.engine.die('c-remove', 1);
    await until('gone', () => sandbox.gone.isSet);
    expect(scene.sandboxes.list(true)).toMatchObject([{ name: 'keep', state: 'exited', exitCode: 1 }]);
    expect(scene.sandboxes.list(false)).toEqual([]);
  });

  test('by hand of somebody else (docker rm -f) leaves nothing of ours', async () => {
    const { sandbox, dir } = await running('s1', { mode: 'detached', remove: false });
    await scene.engine.remove('c-s1');
    await until('gone', () => sandbox.gone.isSet);
    expect(existsSync(dir)).toBe(false);
  });

  test('on request takes the grace of the run and tells the exit code', async () => {
    await running('s1', { mode: 'detached', remove: false, stopTimeout: 3 });
    await expect(scene.sandboxes.stop('s1', {})).resolves.toEqual({ exitCode: 143 });
    expect(scene.engine.asked).toContain('stop 3 c-s1');
    await expect(scene.sandboxes.stop('nobody', {})).rejects.toMatchObject({ code: 'SANDBOX_UNKNOWN' });
  });

  test('of a run that was given up is reported with its reason', async () => {
    await made('s1');
    await scene.sandboxes.abandoned('s1', { code: 'PORT_IN_USE', message: 'port 80' });
    expect(scene.events.events).toMatchObject([{ name: 'sandbox_refused', body: { error: { code: 'PORT_IN_USE' } } }]);
    expect(scene.engine.containers.size).toBe(0);
  });
});

describe('a name', () => {
  test('is free again only when its last sandbox is gone, and given to one of two who wait', async () => {
    const { sandbox } = await running('s1', { name: 'db' });
    await expect(scene.registry.reserve('db')).rejects.toMatchObject({ code: 'NAME_IN_USE' });
    peer.close();
    const waiting = [scene.registry.reserve('db'), scene.registry.reserve('db')];
    const settled = scene.registry.settled('db');
    await until('grace', () => scene.clock.next === 700);
    scene.clock.advance(700);
    const outcomes = await Promise.allSettled(waiting);
    await settled;
    expect(sandbox.gone.isSet).toBe(true);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

test('a control plane that leaves does not take its clients for lost: their sandboxes go on', async () => {
  const { sandbox } = await running('s1', { mode: 'attached' });
  scene.sandboxes.leave();
  peer.close();
  await scene.sandboxes.endings.idle();
  expect([sandbox.state, scene.sandboxes.endings.busy]).toEqual(['running', false]);
  expect(scene.events.names).toEqual(['sandbox_started']);
});

describe('a lease', () => {
  test('is taken up again by its holder only, who hears what was missed', async () => {
    const { sandbox } = await running('s1');
    const later = new FakePeer();
    expect(() => scene.sandboxes.reattach('s1', { ...LEASE, startTime: '3' }, later)).toThrow(
      expect.objectContaining({ code: 'LEASE_LOST' }),
    );
    scene.sandboxes.reattach('s1', LEASE, later);
    peer.close();
    expect(sandbox.removal).toBeUndefined();
    scene.engine.die('c-s1', 4);
    expect(later.heard).toEqual([{ event: 'exited', sandboxId: 's1', exitCode: 4 }]);
  });
});
