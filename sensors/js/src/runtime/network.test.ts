import { expect, test } from 'vitest';

import { destinationOf } from './network.ts';

test.each([
  [[{ host: 'a', port: 1 }], { host: 'a', port: 1 }],
  [[[{ path: '/s' }, null]], { path: '/s' }],
  [[80, 'a'], { port: 80, host: 'a' }],
  [['80'], { port: 80, host: 'localhost' }],
  [['/s'], { path: '/s' }],
])('connect(%j) goes to %j', (args, expected) => {
  expect(destinationOf(args)).toEqual(expected);
});
