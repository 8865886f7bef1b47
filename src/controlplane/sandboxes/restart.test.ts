import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { FakeInit } from '../testing/fake-init.ts';
import { FakePeer } from '../testing/peer.ts';
import { policyOf, recordOf, Scene } from '../testing/scene.ts';
import { until } from '../testing/until.ts';

const DETACHED = { mode: 'detached', remove: false } as const;

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** A sandbox that runs; each further start of its container is one of init, which says `ready`. */
async function running(id: string, request: Parameters<typeof recordOf>[1]): Promise<FakeInit[]> {
  await scene.sandboxes.open(recordOf(id, request), policyOf(1), new FakePeer(), undefined);
  const containerId = scene.contain(id);
  scene.sandboxes.created(id, { containerId, imageId: 'sha256:0' });
  const inits = [await FakeInit.start(scene.dirs.path(id))];
  await until('go', () => inits[0]?.text === 'go -\n');
  scene.engine.onStart = () => {
    // Of a container that ended nothing lives.
    for (const init of inits) init.end();
    void FakeInit.start(scene.dirs.path(id)).then((init) => inits.push(init));
  };
  return inits;
}

describe('a restart', () => {
  test('ends what runs and answers when the new workload was let go', async () => {
    const inits = await running('s1', DETACHED);
    await scene.sandboxes.start('s1', { restart: true, grace: 3 });
    expect(scene.engine.asked).toContain('stop 3 c-s1');
    await until('go', () => inits[1]?.text === 'go -\n');
    expect(scene.sandboxes.list(true)).toMatchObject([{ state: 'running' }]);
  });

  test('that policy is against leaves alone what runs', async () => {
    await running('s1', DETACHED);
    scene.permit = () => {
      throw new UcpError('NETWORK_CONFIG_UNKNOWN', 'gone');
    };
    const restarting = scene.sandboxes.start('s1', { restart: true });
    await expect(restarting).rejects.toMatchObject({ code: 'NETWORK_CONFIG_UNKNOWN' });
    expect(scene.engine.asked).toEqual([]);
    expect(scene.sandboxes.list(true)).toMatchObject([{ state: 'running' }]);
  });

  test('into a network that is gone leaves alone what runs, and works once it is there', async () => {
    await running('s1', DETACHED);
    scene.engine.networkError = new UcpError('NETWORK_NOT_FOUND', 'gone');
    await expect(scene.sandboxes.start('s1', { restart: true })).rejects.toMatchObject({ code: 'NETWORK_NOT_FOUND' });
    expect(scene.engine.asked).toEqual(['networks c-s1']);
    scene.engine.networkError = undefined;
    await scene.sandboxes.start('s1', { restart: true });
    expect(scene.engine.asked.slice(1)).toEqual(['networks c-s1', 'stop 10 c-s1', 'rejoin c-s1', 'start c-s1']);
  });

  test('that is refused at its start says why', async () => {
    await running('s1', DETACHED);
    let asked = 0;
    scene.permit = () => {
      asked += 1;
      if (asked > 1) throw new UcpError('OPTIONS_REFUSED', 'changed meanwhile');
    };
    const restarting = scene.sandboxes.start('s1', { restart: true });
    await expect(restarting).rejects.toMatchObject({ code: 'OPTIONS_REFUSED', message: 'changed meanwhile' });
  });

  test.each([
    ['foreground', { mode: 'attached', remove: false }],
    ['brief', { mode: 'detached', remove: true }],
  ] as const)('of a %s sandbox is refused: it would be gone', async (_, request) => {
    await running('s1', request);
    const restarting = scene.sandboxes.start('s1', { restart: true });
    await expect(restarting).rejects.toMatchObject({ code: 'SANDBOX_EPHEMERAL' });
    expect(scene.engine.asked).toEqual([]);
  });

  test('of the engine that fails is its failure, and a later one works', async () => {
    const inits = await running('s1', DETACHED);
    scene.engine.startError = new UcpError('ENGINE_REFUSED', 'network gone');
    await expect(scene.sandboxes.start('s1', { restart: true })).rejects.toMatchObject({ code: 'ENGINE_REFUSED' });
    scene.engine.startError = undefined;
    await scene.sandboxes.start('s1', { restart: false });
    await until('go', () => inits[1]?.text === 'go -\n');
  });
});

test('a start of what runs does nothing', async () => {
  await running('s1', DETACHED);
  await scene.sandboxes.start('s1', { restart: false });
  expect(scene.engine.asked).toEqual([]);
});
