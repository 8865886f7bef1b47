import { describe, expect, it } from 'vitest';

import { PLAIN_RUN, type MountRequest, type RunRequest } from '../../core/run-request.ts';
import { compileOptions, decideOptions, type OptionsDecision } from './options.ts';

type Section = NonNullable<Parameters<typeof compileOptions>[0]['options']>;

const REQUEST: RunRequest = { ...PLAIN_RUN, image: 'x', remove: true };

const LINKS: Readonly<Record<string, string>> = { '/job/link': '/etc', '/data/ok': '/srv/data' };
const CONTEXT = {
  defaults: { memory: 1_000, cpus: 2, pids: 512 },
  places: { homes: ['/home/bob', '/root'], own: ['/var/lib/ucp', '/home/bob/.local/state/ucp'] },
  realPath: (path: string) => LINKS[path] ?? path,
};

function decide(options: Section | undefined, request: Partial<RunRequest>): OptionsDecision {
  return decideOptions(compileOptions(options === undefined ? {} : { options }), { ...REQUEST, ...request }, CONTEXT);
}

function rules({ refusals, observed }: OptionsDecision): readonly string[] {
  return [...refusals.map(({ rule }) => `no ${rule}`), ...observed.map(({ rule }) => `seen ${rule}`)];
}

function bind(source: string, readOnly = true): MountRequest {
  return { type: 'bind', source, target: '/data', readOnly };
}

describe('decideOptions on mounts', () => {
  it.each(
    '/ // /. /x/.. /proc /proc/1/root /sys/fs /dev /run /var/run /run/user/1000 /etc /etc/passwd /job/../etc /etc/. /var/run/docker.sock /srv/docker.sock /home/bob/.ssh /home/bob/.ssh/id_rsa /home/bob /home /root /home/bob/.aws/credentials /home/bob/.gnupg /var /var/lib /var/lib/ucp/policy /job/link /home/bob/.local/state/ucp /home/bob/.local'.split(
      ' ',
    ),
  )('never mounts %s, whatever the policy says (FS-05)', (source) => {
    const open = { remediate: false, volumes: { allow_list: ['/**'] } };
    expect(rules(decide(open, { mounts: [bind(source)] }))).toEqual(['no /options/volumes']);
    expect(rules(decide(undefined, { mounts: [bind(source)] }))).toEqual(['no /options/volumes']);
    expect(rules(decide({ enable: false }, { mounts: [bind(source)] }))).toEqual(['no /options/volumes']);
  });

  it.each([
    '/home/bob/project',
    '/srv/data',
    '/etcetera',
    '/runner',
    '/home/bob/.sshx',
    '/developer',
    '/var/lib/other',
  ])('mounts %s', (source) => {
    expect(rules(decide(undefined, { mounts: [bind(source)] }))).toEqual([]);
  });

  it.each(['/', '/.ucp', '/.ucp/init', '/proc', '/sys/x', '/dev', '/x/../proc'])('covers nothing at %s', (target) => {
    const mounts = [{ type: 'tmpfs', source: '', target, readOnly: false } as const];
    expect(rules(decide(undefined, { mounts }))).toEqual(['no /options/volumes']);
  });

  it('follows the lists, by text and by what a link leads to', () => {
    const volumes = {
      allow_list: ['/job/**', '/data/**'],
      deny_list: ['/job/secret/**'],
      writable: ['/job/out/**'],
    };
    const ask = (source: string, readOnly = true) =>
      rules(decide({ remediate: true, volumes }, { mounts: [bind(source, readOnly)] }));
    expect(ask('/job/a')).toEqual([]);
    expect(ask('/other')).toEqual(['no /options/volumes/allow_list']);
    expect(ask('/job/a/../../other')).toEqual(['no /options/volumes/allow_list']);
    expect(ask('/data/ok')).toEqual(['no /options/volumes/allow_list']);
    expect(ask('/job/secret/x')).toEqual(['no /options/volumes/deny_list/0']);
    expect(ask('/job/a', false)).toEqual(['no /options/volumes/writable']);
    expect(ask('/job/out/x', false)).toEqual([]);
  });

  it('allows no volume with an empty list, and only notes it when it observes', () => {
    expect(rules(decide({ remediate: true, volumes: { allow_list: [] } }, { mounts: [bind('/work')] }))).toEqual([
      'no /options/volumes/allow_list',
    ]);
    expect(rules(decide({ volumes: { allow_list: [] } }, { mounts: [bind('/work')] }))).toEqual([
      'seen /options/volumes/allow_list',
    ]);
    expect(
      rules(decide({ enable: false, remediate: true, volumes: { allow_list: [] } }, { mounts: [bind('/work')] })),
    ).toEqual([]);
  });
});

describe('decideOptions on the environment', () => {
  it.each([
    ['LD_PRELOAD', '/x.so'],
    ['NODE_OPTIONS', '--require ./x.js'],
    ['NODE_OPTIONS', '--import data:text/javascript,1'],
    ['BASH_ENV', '/x'],
    ['PYTHONPATH', '/x'],
    ['GIT_SSH_COMMAND', 'x'],
  ])('refuses %s=%s unless policy allows injection (EX-20)', (name, value) => {
    expect(rules(decide(undefined, { env: { [name]: value } }))).toEqual(['no /options/env/allow_injection']);
    expect(rules(decide({ env: { allow_injection: true } }, { env: { [name]: value } }))).toEqual([]);
  });

  it('keeps its own variables, and follows the lists', () => {
    const env = { allow_list: ['APP_*', 'LANG'], deny_list: ['APP_DEBUG'] };
    const ask = (name: string) => rules(decide({ remediate: true, env }, { env: { [name]: 'x' } }));
    expect(ask('UCP_POLICY_FILE')).toEqual(['no /options/env']);
    expect(ask('APP_NAME')).toEqual([]);
    expect(ask('LANG')).toEqual([]);
    expect(ask('APP_DEBUG')).toEqual(['no /options/env/deny_list/0']);
    expect(ask('HOME')).toEqual(['no /options/env/allow_list']);
    expect(rules(decide({ env }, { env: { HOME: 'x' } }))).toEqual(['seen /options/env/allow_list']);
  });
});

describe('decideOptions on user, limits and namespaces', () => {
  it('lets the policy choose the user', () => {
    expect(decide({ remediate: true, user: '1000' }, {}).user).toBe('1000');
    expect(rules(decide({ remediate: true, user: '1000' }, { user: '0' }))).toEqual(['no /options/user']);
    expect(decide({ user: '1000' }, { user: '0' })).toMatchObject({ user: '0', observed: [{ rule: '/options/user' }] });
    expect(decide(undefined, { user: '7' }).user).toBe('7');
    expect(decide(undefined, {}).user).toBeUndefined();
  });

  it('bounds limits, which flags can only lower', () => {
    const limits = { memory: '1k', pids: 100 };
    expect(decide({ remediate: true, limits }, {}).limits).toEqual({ memory: 1_024, cpus: 2, pids: 100 });
    expect(decide({ remediate: true, limits }, { limits: { memory: 10 } }).limits).toEqual({
      memory: 10,
      cpus: 2,
      pids: 100,
    });
    expect(rules(decide({ remediate: true, limits }, { limits: { memory: 2_000, pids: 0 } }))).toEqual([
      'no /options/limits/memory',
      'no /options/limits/pids',
    ]);
    expect(rules(decide({ limits }, { limits: { pids: -1 } }))).toEqual(['seen /options/limits/pids']);
  });

  it('isolates by default, and lets flags share what policy does not require', () => {
    expect(decide(undefined, {}).namespaces).toEqual({ pid: true, ipc: true, uts: true, user: false, network: true });
    expect(decide(undefined, { isolation: ['pid'] }).namespaces.pid).toBe(false);
    expect(decide({ namespaces: { pid: false } }, {}).namespaces.pid).toBe(false);
    expect(decide({ namespaces: { pid: false } }, { isolation: ['ipc'] }).namespaces).toMatchObject({
      pid: true,
      ipc: false,
    });
    expect(rules(decide({ remediate: true, namespaces: { pid: true } }, { isolation: ['pid'] }))).toEqual([
      'no /options/namespaces/pid',
    ]);
    expect(decide({ namespaces: { pid: true } }, { isolation: ['pid'] })).toMatchObject({
      namespaces: { pid: false },
      observed: [{ rule: '/options/namespaces/pid' }],
    });
    expect(rules(decide({ remediate: true, namespaces: { network: true } }, { network: 'host' }))).toEqual([
      'no /options/namespaces/network',
    ]);
  });

  it('refuses a network config in a shared network namespace', () => {
    expect(rules(decide(undefined, { networkConfig: 'web', isolation: ['network'] }))).toEqual(['no /network']);
    expect(rules(decide(undefined, { networkConfig: 'web', network: 'host' }))).toEqual(['no /network']);
    expect(rules(decide(undefined, { networkConfig: 'web' }))).toEqual([]);
  });

  it('says who decided each field', () => {
    const { notes } = decide({ limits: { pids: 100 } }, { limits: { cpus: 1 } });
    expect(notes.filter(({ field }) => field.startsWith('HostConfig.Pids') || field === 'HostConfig.NanoCpus')).toEqual(
      [
        { field: 'HostConfig.NanoCpus', by: 'flag', source: '--cpus', reason: '1' },
        { field: 'HostConfig.PidsLimit', by: 'policy', source: '/options/limits/pids', reason: '100' },
      ],
    );
  });
});
