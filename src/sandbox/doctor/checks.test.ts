import { expect, test } from 'vitest';

import type { EngineFacts } from '../../engine/engine.ts';
import type { Check } from './check.ts';
import { engineChecks } from './engine-checks.ts';
import { helperChecks } from './helper-checks.ts';
import { hostChecks, type HostSight } from './host-checks.ts';
import { policyChecks } from './policy-checks.ts';

const facts: EngineFacts = {
  version: '29.0.0',
  apiVersion: '1.52',
  cgroupVersion: '2',
  securityOptions: ['name=seccomp,profile=builtin'],
  rootless: false,
  cpus: 2,
  memory: 1,
  rootDir: '/var/lib/docker',
};
const sight: HostSight = {
  node: '24.1.0',
  kernel: '6.12.1-cloud',
  fanotify: true,
  free: 2 ** 40,
  stateDir: '/s',
  now: 2000,
  built: 1000,
};
const notOk = (checks: readonly Check[]): readonly (readonly [string, string])[] =>
  checks
    .filter(({ state }) => state !== 'ok')
    .map(({ id, state, fix }) => [id, fix === undefined ? `${state}, no fix` : state]);

test('a host that has all is told so', () => {
  expect(notOk(hostChecks(sight))).toEqual([]);
  expect(notOk(engineChecks(facts, { runc: '1.4.0', containerd: 'v2.2.0', 'docker-init': '0.19.0' }))).toEqual([]);
  expect(notOk(policyChecks({ controls: { in_force: ['exec'] } }))).toEqual([]);
});

test.each([
  ['1.1.5', true],
  ['1.1.12', true],
  ['1.2.7', true],
  ['1.2.8', false],
  ['1.3.2', true],
  ['1.3.3', false],
  ['1.5.0', false],
])('runc %s has known holes: %s', (version, holes) => {
  expect(notOk(engineChecks(facts, { runc: version }))).toEqual(holes ? [['runc', 'warn']] : []);
});

test('each lack has a state and a fix', () => {
  const lacking = { ...sight, kernel: '5.4.0', fanotify: false, free: 100 * 2 ** 20, now: 10 };
  expect(notOk(hostChecks(lacking))).toEqual([
    ['kernel', 'fail'],
    ['fanotify', 'warn'],
    ['disk', 'warn'],
    ['clock', 'fail'],
  ]);
  expect(notOk(hostChecks({ ...sight, free: undefined }))).toEqual([['disk', 'skip, no fix']]);
  expect(notOk(hostChecks({ ...sight, free: 0 }))).toEqual([['disk', 'fail']]);
  expect(notOk(engineChecks({ ...facts, securityOptions: [], cgroupVersion: '1' }, {}))).toEqual([
    ['seccomp', 'fail'],
    ['cgroups', 'warn'],
  ]);
  expect(notOk(policyChecks({ controls: { not_enforced: [{ control: 'exec' }] } }))).toEqual([['controls', 'fail']]);
  expect(notOk(policyChecks({ controls: { not_observed: ['network'] } }))).toEqual([['controls', 'warn']]);
  expect(notOk(policyChecks({ last_check: { error: { message: 'no' } } }))).toEqual([['policy', 'warn']]);
});

const of = (used: boolean, more: object): readonly string[] =>
  helperChecks([{ program: 'ucp-net', mode: 'child', used, ...more }]).map(({ id, state }) => `${id}: ${state}`);

test('a helper that does not work fails where it is used, and warns elsewhere', () => {
  const error = { code: 'NET_RULES_REFUSED', message: 'no' } as const;
  expect(of(true, { works: 'rules' })).toEqual(['ucp-net as process: ok']);
  expect(of(true, { error })).toEqual(['ucp-net as process: fail']);
  expect(of(false, { error })).toEqual(['ucp-net as process: warn']);
  expect(of(false, {})).toEqual(['ucp-net as process: skip']);
});
