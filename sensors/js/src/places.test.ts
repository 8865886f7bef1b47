import { expect, test } from 'vitest';

import { findPlaces } from './places.ts';

test('the environment of a sandbox names everything', () => {
  const env = { UCP_POLICY_FILE: '/p', UCP_SENSOR_SOCKET: '/s', UCP_SANDBOX_ID: 'x' };
  expect(findPlaces(env, () => false)).toEqual({ policyFile: '/p', socket: '/s', mode: 'sandbox' });
});

/** A host without the service. */
function alone(path: string): boolean {
  return !path.startsWith('/run/ucp/');
}

test("a process of the host uses the service, else its user's own control plane, unless one is named", () => {
  const env = { XDG_RUNTIME_DIR: '/run/user/1', HOME: '/home/u' };
  expect(findPlaces(env, () => true)?.policyFile).toBe('/run/ucp/host/policy.json');
  expect(findPlaces(env, alone)).toEqual({
    policyFile: '/run/user/1/ucp/host/policy.json',
    socket: '/run/user/1/ucp/host/sensor.sock',
    mode: 'host',
  });
  expect(findPlaces({ HOME: '/home/u' }, alone)?.policyFile).toBe('/home/u/.local/state/ucp/run/host/policy.json');
  expect(findPlaces({ ...env, UCP_STATE_DIR: '/s' }, () => true)?.policyFile).toBe('/s/host/policy.json');
});

test('without a control plane there is no policy', () => {
  expect(findPlaces({}, () => false)).toBeUndefined();
});
