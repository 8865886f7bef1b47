import { expect, test } from 'vitest';

import { helperMode } from './mode.ts';

const KERNEL = { capabilities: ['SYS_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'] };
const ROOT = 'Name:\tnode\nCapEff:\t000001ffffffffff\n';
const USER = 'CapEff:\t0000000000000000\n';
const FEW = 'CapEff:\t0000000000200000\n';

test('a child where this process has all rights of the helper, else a container', () => {
  const here = { onDemand: true, chosen: undefined };
  expect(helperMode(KERNEL, here, ROOT)).toBe('child');
  expect(helperMode(KERNEL, here, USER)).toBe('container');
  expect(helperMode(KERNEL, here, FEW)).toBe('container');
  expect(helperMode({ capabilities: ['SOMETHING_NEW'] }, here, USER)).toBe('container');
});

test('a service has containers: they outlive its restart', () => {
  expect(helperMode(KERNEL, { onDemand: false, chosen: undefined }, ROOT)).toBe('container');
});

test('UCP_HELPER chooses, and may not be anything', () => {
  expect(helperMode(KERNEL, { onDemand: true, chosen: 'container' }, ROOT)).toBe('container');
  expect(helperMode(KERNEL, { onDemand: true, chosen: 'child' }, USER)).toBe('child');
  expect(() => helperMode(KERNEL, { onDemand: true, chosen: 'no' }, USER)).toThrow(/expected child or container/);
});
