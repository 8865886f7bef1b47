import { expect, test } from 'vitest';

import type { SandboxStatus } from '../../../core/protocol.ts';
import { matching } from './session.ts';

const sandbox = (name: string, sandboxId: string, containerId: string): SandboxStatus => ({
  sandboxId,
  name,
  containerId,
  image: 'img',
  mode: 'detached',
  state: 'running',
  restartable: true,
  createdAt: '2026-01-01T00:00:00Z',
  policyDigest: 'sha256:0',
  degraded: [],
});
const all = [sandbox('web', 'aaaa1111', 'c0ffee01'), sandbox('c0ff', 'bbbb2222', 'c0ffee02')];

test.each([
  ['web', 'aaaa1111'],
  ['bbbb2222', 'bbbb2222'],
  ['c0ffee02', 'bbbb2222'],
  ['c0ff', 'bbbb2222'],
  ['c0ffee0', undefined],
  ['c0f', undefined],
])('%s means %s: names first, then containers if there is one only', (wanted, expected) => {
  expect(matching(all, wanted)?.sandboxId).toBe(expected);
});
