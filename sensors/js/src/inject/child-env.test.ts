import { expect, test } from 'vitest';

import { injectionOf, injectPairs, withPreload } from './child-env.ts';

const injection = injectionOf(
  { UCP_POLICY_FILE: '/.ucp/run/policy.json', UCP_OTHER: 'x', PYTHONPATH: '/app:/.ucp/sensors/python' },
  '/.ucp/sensors/js/preload.cjs',
  { policyFile: '/.ucp/run/policy.json', socket: undefined },
);

test('a child that the SDK gave a bare environment gets the sensors back', () => {
  const pairs = ['PATH=/bin'];
  injectPairs(pairs, injection);
  expect(pairs).toEqual([
    'PATH=/bin',
    'UCP_POLICY_FILE=/.ucp/run/policy.json',
    'NODE_OPTIONS=--require /.ucp/sensors/js/preload.cjs',
    'PYTHONPATH=/.ucp/sensors/python',
  ]);
});

test('a child of a process that found its places by itself is told them', () => {
  const places = { policyFile: '/run/ucp/host/policy.json', socket: '/run/ucp/host/sensor.sock' };
  const pairs: string[] = [];
  injectPairs(pairs, injectionOf({}, '/p', places));
  expect(pairs).toContain('UCP_POLICY_FILE=/run/ucp/host/policy.json');
  expect(pairs).toContain('UCP_SENSOR_SOCKET=/run/ucp/host/sensor.sock');
});

test("the program's own values stay, behind ours", () => {
  const pairs = ['NODE_OPTIONS=--max-old-space-size=64', 'PYTHONPATH=/lib', 'UCP_POLICY_FILE=/tmp/mine'];
  injectPairs(pairs, injection);
  expect(pairs).toEqual([
    'NODE_OPTIONS=--require /.ucp/sensors/js/preload.cjs --max-old-space-size=64',
    'PYTHONPATH=/.ucp/sensors/python:/lib',
    'UCP_POLICY_FILE=/.ucp/run/policy.json',
  ]);
});

test.each([
  '--require ./evil.cjs --require /.ucp/sensors/js/preload.cjs',
  '--import=file:///.ucp/sensors/js/preload.cjs',
  '--title=/.ucp/sensors/js/preload.cjs',
  '--require /.ucp/sensors/js/preload.cjs.evil',
])('EX-20: ours comes first where the program names it itself: %s', (options) => {
  expect(withPreload(options, injection.preload)).toBe(`--require ${injection.preload} ${options}`);
});

test('nothing is added twice', () => {
  const pairs = ['A=1'];
  injectPairs(pairs, injection);
  const once = [...pairs];
  injectPairs(pairs, injection);
  expect(pairs).toEqual(once);
});

test('a path with spaces, quotes or backslashes is quoted as NODE_OPTIONS demands', () => {
  expect(withPreload('', '/a b/"c"\\p.cjs')).toBe('--require "/a b/\\"c\\"\\\\p.cjs"');
});
