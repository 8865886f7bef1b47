import { assert, constantFrom, dictionary, double, integer, option, property, record, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';

import { PLAIN_RUN, type Namespace, NAMESPACES, type RunRequest } from '../../core/run-request.ts';
import { compileOptions, decideOptions, type OptionsDecision } from './options.ts';

const BASE: RunRequest = { ...PLAIN_RUN, image: 'x', remove: true };
const CONTEXT = {
  defaults: { memory: 2 ** 31, cpus: 2, pids: 512 },
  places: { homes: ['/root'], own: ['/var/lib/ucp'] },
  realPath: (path: string) => path,
};

const name = constantFrom('A', 'B', 'SECRET', 'LD_PRELOAD', 'NODE_OPTIONS');
const limits = {
  memory: option(integer({ min: 1, max: 2 ** 33 }), { nil: undefined }),
  cpus: option(double({ min: 0.01, max: 64, noNaN: true }), { nil: undefined }),
  pids: option(integer({ min: 1, max: 4096 }), { nil: undefined }),
};
const namespaces = record(
  Object.fromEntries(NAMESPACES.map((key) => [key, option(constantFrom(true, false), { nil: undefined })])),
);

interface Permitted {
  readonly limits: Readonly<Partial<Record<'memory' | 'cpus' | 'pids', number | undefined>>>;
  readonly namespaces: Readonly<Partial<Record<Namespace, boolean | undefined>>>;
  readonly user: string;
  readonly deny: readonly string[];
}

/** What of a decision goes beyond what is permitted, by name. */
function widened(decided: OptionsDecision, { limits: bounds, namespaces: required, user, deny }: Permitted): string[] {
  const over = (['memory', 'cpus', 'pids'] as const).filter((key) => decided.limits[key] > (bounds[key] ?? Infinity));
  const shared = NAMESPACES.filter((key) => required[key] === true && !decided.namespaces[key]);
  const passed = Object.keys(decided.env).filter((key) => deny.includes(key) || key === 'LD_PRELOAD');
  return [...over, ...shared, ...passed, ...(user === '' || decided.user === user ? [] : ['user'])];
}

test('PL-07: whatever a command line or a project brings, nothing gets wider than policy', () => {
  const asked = record({
    env: dictionary(name, constantFrom('1', '--require /tmp/x')),
    limits: record(limits),
    isolation: option(uniqueArray(constantFrom(...NAMESPACES)), { nil: undefined }),
    user: option(constantFrom('0', '1000', 'nobody'), { nil: undefined }),
  });
  const permitted = record({
    limits: record(limits),
    namespaces,
    user: constantFrom('', '1000:1000'),
    deny: uniqueArray(name),
  });
  assert(
    property(asked, permitted, (request, policy) => {
      const options = {
        enable: true,
        remediate: true,
        limits: policy.limits,
        namespaces: policy.namespaces,
        user: policy.user,
        env: { deny_list: policy.deny },
      };
      const { isolation, user, ...rest } = request;
      const decided = decideOptions(
        compileOptions({ options }),
        { ...BASE, mounts: [], ...rest, ...(isolation && { isolation }), ...(user && { user }) },
        CONTEXT,
      );
      const wider = decided.refusals.length > 0 ? [] : widened(decided, policy);
      expect(wider).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});
