import { expect, test } from 'vitest';

import { findPlaces } from './places.ts';

test('the environment of a sandbox names everything', () => {
  const env = { UCP_POLICY_FILE: '/p', UCP_SENSOR_SOCKET: '/s', UCP_SANDBOX_ID: 'x' };
  expect(findPlaces(env, () => false)).toEqual({ policyFile: '/p', socket: '/s', mode: 'sandbox' });
});

test("a process of the host uses its user's control plane before the service", () => {
  const env = { XDG_RUNTIME_DIR: '/run/user/1' };
  expect(findPlaces(env, () => true)).toEqual({
    policyFile: '/run/user/1/ucp/host/policy.json',
    socket: '/run/user/1/ucp/host/sensor.sock',
    mode: 'host',
  });
  expect(findPlaces(env, (path) => path.startsWith('/run/ucp'))?.policyFile).toBe('/run/ucp/host/policy.json');
});

test('without a control plane there is no policy', () => {
  expect(findPlaces({}, () => false)).toBeUndefined();
});
