import { expect, test } from 'vitest';

import { engineEvent } from './watch.ts';

test('the end of a container carries its labels and exit code', () => {
  const Actor = { ID: 'c', Attributes: { 'ucp.sandbox': 's', exitCode: '137' } };
  expect(engineEvent({ Action: 'die', Actor })).toEqual({
    action: 'die',
    containerId: 'c',
    labels: Actor.Attributes,
    exitCode: 137,
  });
});

test('what is not watched is no event', () => {
  expect(engineEvent({ Action: 'exec_create: sh', Actor: { ID: 'c' } })).toBeUndefined();
  expect(engineEvent({ Action: 'start' })).toBeUndefined();
});
