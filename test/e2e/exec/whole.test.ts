import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { docker, inspect, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { DENIED } from './attacks.ts';
import { ground } from './helpers/ground.ts';
import { runAll, Site } from './helpers/site.ts';

const ENFORCE = { remediate: true, deny_list: DENIED };
/** What dynamic programs and the shell of the image need. */
const ALLOWED = ['/bin/busybox', '/opt/{allowed,attack}', '/lib/**', '/lib64/**', '/usr/lib/**'];

function globs(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `/opt/denied/no-${at}`);
}

describe.each(['root', 'docker-user'] as const)('exec rules around whole runs, as %s', (who) => {
  let site: Site;
  let image: string;

  beforeAll(async () => {
    image = await ground();
    site = await Site.open(who);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const run = (
    flags: readonly string[],
    ...words: string[]
  ): Promise<{ exitCode: number; stdout: string; stderr: string }> =>
    site.run('ucp-sandbox', ['run', ...flags, ...words]);

  verifies(['EX-22'], 'a denied entrypoint does not run, an allowed one does', async () => {
    const flags = await site.policy(ENFORCE);
    expect(await run(flags, image, '/opt/allowed')).toMatchObject({ exitCode: 0, stdout: 'witness ran\n' });
    expect(await run(flags, image, '/opt/denied/entry')).toMatchObject({ exitCode: 126, stdout: '' });
  });

  verifies(['EX-17'], 'who enters later is judged, and so is every start', async () => {
    const name = await site.start(image, await site.policy(ENFORCE));
    const enter = (program: string): ReturnType<Site['run']> => site.run('ucp-sandbox', ['exec', name, program]);
    const judged = async (): Promise<void> => {
      expect(await enter('/opt/allowed')).toMatchObject({ exitCode: 0, stdout: 'witness ran\n' });
      expect((await enter('/opt/denied/later')).stdout).toBe('');
      expect(await runAll(name, ['/opt/allowed', '$D/later'])).toEqual(['runs', 'stopped']);
    };
    await judged();
    await docker('restart', '-t', '0', name);
    await judged();
    await site.remove(name);
  });

  verifies(
    ['EX-03', 'EX-06'],
    'with an allow list and without drift, only the image’s own listed programs run',
    async () => {
      const name = await site.start(image, await site.policy({ remediate: true, allow_list: ALLOWED, drift: 'deny' }));
      const scripts = [
        '/opt/allowed',
        '/opt/tool-2.0',
        'cp /opt/allowed /tmp/new && /tmp/new',
        'cp /opt/tool-2.0 /lib/new && /lib/new',
      ];
      expect(await runAll(name, scripts)).toEqual(['runs', 'stopped', 'stopped', 'stopped']);
      expect(await runAll(name, ['/opt/attack memory /opt/allowed', '/opt/attack vfork /opt/allowed'])).toEqual([
        'stopped',
        'runs',
      ]);
      await site.remove(name);
    },
  );

  verifies(['EX-25'], 'a flood of 20,000 denied execs: none runs, all are counted', async () => {
    const name = await site.start(image, await site.policy(ENFORCE));
    const before = (await site.violations()).length;
    const { stdout } = await docker('exec', name, '/opt/attack', 'flood', '/opt/denied/storm');
    expect(stdout).toMatch(/^\d+ \d+$/);
    const flood = Number(stdout.split(' ')[0]);
    expect(await runAll(name, ['/opt/allowed'])).toEqual(['runs']);
    await site.remove(name);
    const told = async (): Promise<number> => {
      const events = (await site.violations()).slice(before);
      return events.reduce((sum, { body }) => sum + Number(body['count']), 0);
    };
    await until('all are told', async () => (await told()) >= flood);
    expect(await told()).toBe(flood);
  });
});

describe('exec rules at their limits', () => {
  let site: Site;
  let image: string;
  let remote: Server;

  beforeAll(async () => {
    image = await ground();
    site = await Site.open('root');
    remote = createServer((socket) => {
      const engine = createConnection('/var/run/docker.sock');
      for (const end of [socket, engine]) end.on('error', () => undefined);
      socket.pipe(engine).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(remote, 'listening');
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    remote.close();
  });

  const run = (
    flags: readonly string[],
    ...words: string[]
  ): Promise<{ exitCode: number; stdout: string; stderr: string }> =>
    site.run('ucp-sandbox', ['run', ...flags, ...words]);

  verifies(['EX-21'], 'calls that reach into other processes or around the kernel’s question are refused', async () => {
    const calls =
      'ptrace_me process_vm_writev_self pidfd_getfd_self io_uring_setup bpf perf_event_open userfaultfd setns_own unshare_user clone_user'.split(
        ' ',
      );
    const { stdout } = await run(await site.policy(ENFORCE), image, '/opt/calls');
    const errors = new Map(
      stdout.split('\n').map((line): [string, string] => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']),
    );
    expect(calls.map((call) => [call, errors.get(call)])).toEqual(calls.map((call) => [call, '1']));
    expect(errors.get('clone_plain')).toBe('0');
  });

  verifies(['PL-08'], 'neither the engine’s socket nor the control plane’s state gets into a sandbox', async () => {
    const flags = await site.policy(ENFORCE);
    for (const source of ['/var/run/docker.sock:/s', `${site.dir}/s:/s`, '/var/run:/s']) {
      const refused = await run(flags, '-v', source, image, '/opt/allowed');
      expect([source, refused.exitCode, refused.stdout]).toEqual([source, 125, '']);
    }
  });

  verifies(['EX-15'], 'rules that the helper cannot hold are refused with their place, never cut off', async () => {
    const most = await run(
      await site.policy({ remediate: true, deny_list: [...globs(9_999), '/opt/denied/entry'] }),
      image,
      '/opt/denied/entry',
    );
    expect(most).toMatchObject({ exitCode: 126, stdout: '' });
    const more = await site.policy({ remediate: true, deny_list: globs(10_001) });
    const refused = await run(more, image, '/opt/allowed');
    expect(refused).toMatchObject({ exitCode: 125, stdout: '' });
    expect(refused.stderr).toMatch(/exec.*10000/);
    const observed = await site.policy({ deny_list: globs(10_001) });
    expect(await run(observed, image, '/opt/allowed')).toMatchObject({ exitCode: 0, stdout: 'witness ran\n' });
    expect(await site.events('exec_unobserved')).toMatchObject([{ severity: 'WARN' }]);
  });

  // Registered on the host, as an administrator would; only programs that begin with these bytes meet it.
  verifies(['EX-09'], 'the interpreter that binfmt_misc names is judged as one that a script names', async () => {
    const dir = join(site.dir, 'binfmt');
    mkdirSync(dir);
    execFileSync('mount', ['-t', 'binfmt_misc', 'none', dir]);
    const tag = randomBytes(4).toString('hex');
    const handlers = { allowed: '/opt/allowed', denied: '/opt/interpreter' };
    try {
      for (const [kind, interpreter] of Object.entries(handlers)) {
        writeFileSync(join(dir, 'register'), `:ucp-${kind}-${tag}:M::${kind}${tag}::${interpreter}:`);
      }
      const name = await site.start(image, await site.policy(ENFORCE));
      const start = (kind: string): string => {
        const program = `/tmp/${kind}`;
        return `echo ${kind}${tag} > ${program}; chmod +x ${program}; ${program}`;
      };
      expect(await runAll(name, [start('allowed'), start('denied')])).toEqual(['runs', 'stopped']);
      await site.remove(name);
    } finally {
      for (const kind of Object.keys(handlers)) {
        const handler = join(dir, `ucp-${kind}-${tag}`);
        if (existsSync(handler)) writeFileSync(handler, '-1');
      }
      execFileSync('umount', [dir]);
    }
  });

  verifies(['CT-09'], 'a tag that is moved changes nothing for a sandbox', async () => {
    const tag = 'ucp-test/moving:latest';
    await docker('tag', image, tag);
    const name = await site.start(tag, await site.policy(ENFORCE));
    const { Image, Config } = (await inspect(name)) as { Image: string; Config: { Image: string } };
    expect(Config.Image).toBe(Image);
    await docker('rmi', tag);
    await docker('restart', '-t', '0', name);
    expect(((await inspect(name)) as { Image: string }).Image).toBe(Image);
    expect(await runAll(name, ['/opt/allowed', '$D/later'])).toEqual(['runs', 'stopped']);
    await site.remove(name);
  });

  verifies(['EX-24'], 'a remote engine is refused by name, and observed rules say that they are not', async () => {
    await site.run('ucpd', ['stop']);
    const address = remote.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const there = { DOCKER_HOST: `tcp://127.0.0.1:${port}` };
    const runThere = (flags: readonly string[]): ReturnType<Site['run']> =>
      site.run('ucp-sandbox', ['run', ...flags, image, '/opt/allowed'], there);
    const refused = await runThere(await site.policy(ENFORCE));
    expect(refused).toMatchObject({ exitCode: 125, stdout: '' });
    expect(refused.stderr).toMatch(/enforce exec.*not on this host/);
    expect(await runThere([...(await site.policy(ENFORCE)), '--allow-degraded=exec'])).toMatchObject({ exitCode: 0 });
    expect(await runThere(await site.policy({ ...ENFORCE, remediate: false }))).toMatchObject({ exitCode: 0 });
    const runtime = await site.run('ucp-sandbox', ['run', '--runtime=runsc', image, '/opt/allowed'], there);
    expect(runtime).toMatchObject({ exitCode: 125, stdout: '' });
  });
});
