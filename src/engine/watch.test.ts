import { expect, test } from 'vitest';

import { engineEvent } from './watch.ts';

test('the end of a container carries its labels and exit code', () => {
  const Actor = { ID: 'c', Attributes: { 'ucp.sandbox': 's', exitCode: '137' } };
  expect(engineEvent({ Type: 'container', Action: 'die', Actor }, 'ucp.sandbox=s')).toEqual({
    action: 'die',
    containerId: 'c',
    labels: Actor.Attributes,
    exitCode: 137,
  });
});

test('what is not watched is no event', () => {
  const Actor = { ID: 'c', Attributes: { l: 'v' } };
  expect(engineEvent({ Action: 'exec_create: sh', Actor }, 'l=v')).toBeUndefined();
  expect(engineEvent({ Action: 'start' }, 'l=v')).toBeUndefined();
  expect(engineEvent({ Action: 'start', Actor }, 'l=other')).toBeUndefined();
  expect(engineEvent({ Type: 'network', Action: 'create', Actor }, 'l=v')).toBeUndefined();
});

test('a network that a container joins or leaves is an event of that container', () => {
  const Actor = { ID: 'n', Attributes: { container: 'c', name: 'mine', type: 'bridge' } };
  const told = ['connect', 'disconnect'].map((Action) => engineEvent({ Type: 'network', Action, Actor }, 'l=v'));
  expect(told).toMatchObject([
    { action: 'connect', containerId: 'c' },
    { action: 'disconnect', containerId: 'c' },
  ]);
});
