import { readFileSync } from 'node:fs';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import type { SandboxControl } from '../sandboxes/control.ts';
import { FakeInit } from '../testing/fake-init.ts';
import { FakePeer } from '../testing/peer.ts';
import { policyOf, recordOf, Scene } from '../testing/scene.ts';
import { until } from '../testing/until.ts';
import { outdatedEvent, outdatedSandboxes } from './outdated.ts';
import { applyToSandboxes } from './sensor-policy.ts';

let scene: Scene;
/** `control sandbox generation`, in order. */
let applied: string[];
let refused: string | undefined;

const control: SandboxControl = {
  name: 'exec',
  apply: async ({ record, policy }) => {
    const what = `${record.sandboxId} ${policy.ref.generation}`;
    if (what === refused) throw new UcpError('INTERNAL', 'refused');
    applied.push(what);
  },
  release: async () => undefined,
};

beforeEach(() => {
  applied = [];
  refused = undefined;
  scene = new Scene([control]);
});
afterEach(() => scene[Symbol.asyncDispose]());

async function running(id: string, policyFile?: string): Promise<void> {
  const record = recordOf(id, policyFile === undefined ? {} : { policyFile });
  await scene.sandboxes.open(record, policyOf(1), new FakePeer(), undefined);
  const init = await FakeInit.start(scene.dirs.path(id));
  await until('go', () => init.text !== '');
}

function generation(id: string): unknown {
  const file: { generation: number } = JSON.parse(readFileSync(`${scene.dirs.path(id)}/policy.json`, 'utf8'));
  return file.generation;
}

test('a new policy reaches every running sandbox that follows the host, and no other', async () => {
  await running('a');
  await running('own', '/p.json');
  await scene.sandboxes.open(recordOf('waits'), policyOf(1), new FakePeer(), undefined);
  applied = [];
  await applyToSandboxes(policyOf(2), scene.context);
  expect(applied).toEqual(['a 2']);
  expect([generation('a'), generation('own')]).toEqual([2, 1]);
});

test('a policy that one sandbox can not take is in force in none', async () => {
  await running('a');
  await running('b');
  applied = [];
  refused = 'b 2';
  await expect(applyToSandboxes(policyOf(2), scene.context)).rejects.toThrow('refused');
  expect(applied).toEqual(['a 2', 'a 1', 'b 1']);
  expect([generation('a'), generation('b')]).toEqual([1, 1]);
  expect(scene.registry.byId('b')?.policy?.ref.generation).toBe(1);
});

test('what can not change while it runs is found and reported', async () => {
  await running('a');
  const found = outdatedSandboxes(scene.registry.all(), policyOf(2), () => {
    throw new UcpError('OPTIONS_REFUSED', 'no pid namespace', { pointer: '/options/namespaces/pid' });
  });
  expect(found.map((one) => outdatedEvent(one, policyOf(2)))).toMatchObject([
    {
      name: 'sandbox_outdated',
      severity: 'WARN',
      sandbox: { sandbox_id: 'a' },
      body: { error: { code: 'OPTIONS_REFUSED' } },
    },
  ]);
  expect(outdatedSandboxes(scene.registry.all(), policyOf(2), () => undefined)).toEqual([]);
});
