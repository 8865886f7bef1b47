import { afterEach, beforeEach, expect, test } from 'vitest';

import { applyToSandboxes } from '../policy/sensor-policy.ts';
import { FakePeer } from '../testing/peer.ts';
import { LEASE, policyOf, recordOf, Scene } from '../testing/scene.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene[Symbol.asyncDispose]());

function withGateway(version: number): LoadedPolicy {
  const policy = policyOf(version);
  return { ...policy, policy: { ...policy.policy, gateway: { remediate: true } } };
}

async function open(mcp: boolean): Promise<FakePeer> {
  const peer = new FakePeer();
  const sandbox = await scene.sandboxes.open(recordOf('s1', mcp ? { mcp: 'stdio' } : {}), policyOf(1), peer, undefined);
  sandbox.state = 'running';
  return peer;
}

test('a front end that speaks MCP hears of each policy, and again when it takes up the lease', async () => {
  const peer = await open(true);
  await applyToSandboxes(withGateway(2), scene.context);
  expect(peer.heard).toMatchObject([{ event: 'policy', sandboxId: 's1', file: { generation: 2 } }]);
  const next = new FakePeer();
  scene.sandboxes.reattach('s1', LEASE, next);
  expect(next.heard).toMatchObject([{ event: 'policy', file: { generation: 2 } }]);
  await applyToSandboxes(policyOf(3), scene.context);
  expect(next.heard.at(-1)).toEqual({ event: 'policy', sandboxId: 's1', file: null });
});

test('other front ends hear of none', async () => {
  const peer = await open(false);
  await applyToSandboxes(withGateway(2), scene.context);
  expect(peer.heard).toEqual([]);
});

test('only the front end that holds the lease may tell of its gateway', async () => {
  const peer = await open(true);
  const line = {
    v: 1,
    id: 'e1',
    time: 5,
    name: 'mcp_tool_call',
    domain: 'mcp',
    severity: 'INFO',
    scope: 'gateway',
    body: {},
    generation: 1,
  } as const;
  scene.sandboxes.sensed('s1', [line], peer);
  expect(scene.events.events.at(-1)).toMatchObject({ name: 'mcp_tool_call', scope: 'gateway' });
  expect(() => scene.sandboxes.sensed('s1', [line], new FakePeer())).toThrow(
    expect.objectContaining({ code: 'LEASE_LOST' }),
  );
});
