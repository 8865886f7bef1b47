import { beforeEach, describe, expect, test } from 'vitest';

import type { RunRequest } from '../../core/run-request.ts';
import type { Policy } from '../../policy/index.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import { EventList } from '../testing/event-list.ts';
import { LEASE, policyOf, REQUEST } from '../testing/scene.ts';
import type { Absences } from './controls.ts';
import { decideRunOptions } from './decide-options.ts';
import { defaultLimits } from './limits.ts';
import { prepare, type PrepareContext, type Prepared } from './prepare.ts';

const MISSING = 'not here';
const ABSENCES: Absences = {
  js_sensor: undefined,
  python_sensor: MISSING,
  'gateway.client': 'not here',
  gateway: MISSING,
  langchain: MISSING,
  crewai: MISSING,
  a2a: MISSING,
  llm: MISSING,
  exec: MISSING,
  network: MISSING,
};

const GIB = 1024 ** 3;
const PLACES = {
  defaults: defaultLimits({ memory: 16 * GIB, cpus: 4 }),
  places: { homes: ['/root'], own: ['/var/lib/ucp'] },
  realPath: (path: string) => (path === '/srv/link' ? '/srv/data' : path),
};

let events: EventList;
let policy: LoadedPolicy;
beforeEach(() => {
  events = new EventList();
  policy = policyOf(3);
});

function run(request: Partial<RunRequest> = {}, sections: Partial<Policy> = {}, report = true): Promise<Prepared> {
  const context: PrepareContext = {
    bundles: { node: 'js/preload.cjs' },
    seccomp: '{}',
    owner: 'us',
    now: () => 0,
    events,
    files: { init: '/opt/ucp-init', sensors: '/opt/sensors', ca: '/etc/ca.pem', timezone: '/usr/share/zoneinfo/UTC' },
    runDir: (id) => `/state/${id}`,
    absences: ABSENCES,
    policyFor: async () => ({ ...policy, policy: { ...policy.policy, ...sections } }),
    networks: ({ network = {} }) => network,
    decide: (chosen, asked) => decideRunOptions(chosen, asked, PLACES),
  };
  return prepare({ ...REQUEST, ...request }, LEASE, context, { report });
}

describe('a plan', () => {
  test('has everything that a sandbox needs of ours', async () => {
    const { plan } = await run({ name: 'web', labels: { team: 'a', 'ucp.sandbox': 'forged' } });
    const id = plan.sandboxId;
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(plan).toMatchObject({
      name: 'web',
      policy: policy.ref,
      policySource: 'service',
      runDir: `/state/${id}`,
      seccomp: '{}',
      limits: { memory: 2 * GIB, cpus: 4, pids: 512 },
      namespaces: { pid: true, ipc: true, uts: true, user: false, network: true },
      env: {
        UCP_POLICY_FILE: '/.ucp/run/policy.json',
        UCP_SENSOR_SOCKET: '/.ucp/run/sensor.sock',
        UCP_SANDBOX_ID: id,
        UCP_CA: '/.ucp/ca.pem',
        NODE_EXTRA_CA_CERTS: '/.ucp/ca.pem',
      },
      prependEnv: { NODE_OPTIONS: { value: '--require /.ucp/sensors/js/preload.cjs', separator: ' ' } },
      warnings: [],
    });
    expect(plan.labels).toEqual({
      team: 'a',
      'ucp.sandbox': id,
      'ucp.name': 'web',
      'ucp.mode': 'attached',
      'ucp.owner': 'us',
      'ucp.lease': 'boot:1:2',
      'ucp.policy.id': 'p',
      'ucp.policy.version': '3',
      'ucp.policy.digest': 'sha256:3',
      'ucp.policy.generation': '3',
      'ucp.remove': 'true',
    });
    expect(plan.mounts.map(({ source, target, readOnly }) => [source, target, readOnly])).toEqual([
      ['/opt/ucp-init', '/.ucp/init', true],
      [`/state/${id}`, '/.ucp/run', true],
      ['/opt/sensors', '/.ucp/sensors', true],
      ['/etc/ca.pem', '/.ucp/ca.pem', true],
      ['/usr/share/zoneinfo/UTC', '/etc/localtime', true],
    ]);
  });

  test('has an end marker only where a front end reads the output', async () => {
    expect((await run()).plan.endMarker).toMatch(/^[0-9a-f]{32}$/);
    expect((await run({ mode: 'detached' })).plan.endMarker).toBeUndefined();
  });

  test('mounts what was judged: the end of a symbolic link', async () => {
    const { plan } = await run({ mounts: [{ type: 'bind', source: '/srv/link', target: '/data', readOnly: true }] });
    expect(plan.mounts.at(-1)).toMatchObject({ source: '/srv/data', target: '/data' });
  });

  test('says what isolation and which control is off: to the user, in a label', async () => {
    const { plan } = await run({ isolation: ['pid', 'ipc'], allowDegraded: ['exec'] }, { exec: { remediate: true } });
    expect(plan.labels).toMatchObject({ 'ucp.isolation.off': 'pid,ipc', 'ucp.degraded': 'exec' });
    expect(plan.warnings).toEqual([
      'exec is asked for and NOT in force here: not here',
      'isolation is off for: pid, ipc',
    ]);
    expect(plan.degraded).toEqual([{ control: 'exec', reason: 'not here', consent: 'allowed' }]);
  });

  test('lists what is only to be observed and is not there, without a warning', async () => {
    const { plan } = await run({}, { exec: {}, js_sensor: {} });
    expect([plan.degraded, plan.warnings]).toEqual([[{ control: 'exec', reason: 'not here', consent: 'observe' }], []]);
  });
});

describe('a refusal', () => {
  test.each<[string, Partial<RunRequest>, Partial<Policy>, string, string]>([
    ['CP-04: a control that is not in force', {}, { exec: { remediate: true } }, 'CONTROL_UNENFORCEABLE', '/exec'],
    [
      'CP-05: more than policy permits',
      { limits: { pids: 9 } },
      { options: { remediate: true, limits: { pids: 8 } } },
      'OPTIONS_REFUSED',
      '/options/limits/pids',
    ],
    [
      'a protected path, whatever the policy',
      { mounts: [{ type: 'bind', source: '/etc', target: '/data', readOnly: true }] },
      {},
      'OPTIONS_REFUSED',
      '/options/volumes',
    ],
    [
      'an unknown network config',
      { networkConfig: 'wbe' },
      { network: { web: {} } },
      'NETWORK_CONFIG_UNKNOWN',
      '/network',
    ],
  ])('is thrown and reported: %s', async (_, request, sections, code, pointer) => {
    await expect(run(request, sections)).rejects.toMatchObject({ code, pointer });
    expect(events.events).toMatchObject([
      {
        name: 'sandbox_refused',
        severity: 'ERROR',
        body: { error: { code, pointer } },
        violation: { rule: pointer, action: 'blocked' },
        policy: { version: 3 },
      },
    ]);
  });

  test('is not reported for a dry run', async () => {
    await expect(run({}, { exec: { remediate: true } }, false)).rejects.toThrow('exec');
    expect(events.events).toEqual([]);
  });
});

test('a rule that is only observed lets the run go on, with an event and a warning', async () => {
  const { plan } = await run({ limits: { pids: 9 } }, { options: { limits: { pids: 8 } } });
  expect(plan.limits.pids).toBe(9);
  expect(plan.warnings).toHaveLength(1);
  expect(events.events).toMatchObject([
    { name: 'sandbox_violation', severity: 'WARN', violation: { rule: '/options/limits/pids', action: 'allowed' } },
  ]);
});

test('a record holds no values of the environment, except of injection hooks, which a later start judges again', async () => {
  const { record } = await run(
    { env: { TOKEN: 'secret', LD_PRELOAD: '/x.so' } },
    { options: { remediate: true, env: { allow_injection: true } } },
  );
  expect(record.request.env).toEqual({ TOKEN: '', LD_PRELOAD: '/x.so' });
});
