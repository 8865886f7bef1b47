import { expect, test } from 'vitest';

import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import { leaveWhenIdle } from '../idle.ts';
import { policyOf } from '../testing/scene.ts';
import { staleness } from './poller.ts';

const now = Date.UTC(2026, 0, 2);
const checked = { now, unchecked: 0, maxStaleness: undefined };

test('a policy is stale from its expiry on', () => {
  const { policy, ...rest } = policyOf(1);
  const until = (expires_at: string) => ({ ...rest, policy: { ...policy, expires_at } });
  expect(staleness(until('2026-01-02T00:00:01Z'), checked)).toBeUndefined();
  expect(staleness(until('2026-01-02T01:00:00+01:00'), checked)).toEqual({ reason: 'expired', since: now });
});

test('a policy is stale when no check succeeded for too long', () => {
  expect(staleness(policyOf(1), { now, unchecked: 60_000, maxStaleness: 60 })).toBeUndefined();
  expect(staleness(policyOf(1), { now, unchecked: 60_001, maxStaleness: 60 })).toEqual({
    reason: 'unchecked',
    since: now - 60_001,
  });
});

test('CP-02: an idle control plane leaves when nothing was busy for the whole time', () => {
  const clock = new ManualClock();
  let busy = true;
  let left = 0;
  leaveWhenIdle({ clock, ms: 1_000, busy: () => busy, leave: () => (left += 1) });
  clock.advance(5_000);
  busy = false;
  clock.advance(900);
  busy = true;
  clock.advance(200);
  busy = false;
  clock.advance(900);
  expect(left).toBe(0);
  clock.advance(200);
  expect(left).toBe(1);
});
