import { readdirSync, readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { docker, until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('the control plane on demand', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const pid = async (): Promise<number> => {
    const status = await host.ucpd(['status', '--json']);
    return (JSON.parse(status.stdout) as { pid: number }).pid;
  };

  verifies(['CP-01'], 'is started once by racing front ends', async () => {
    const ran = await Promise.all(Array.from({ length: 4 }, () => host.sandbox(['run', image, 'true'])));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const marker = `UCP_STATE_DIR=${host.env['UCP_STATE_DIR']}`;
    expect(processesWith(marker, 'ucpd')).toHaveLength(1);
  });

  verifies(
    ['CP-03', 'LC-05'],
    'is killed without harm: detached and foreground sandboxes go on and are taken back',
    async () => {
      const foreground = host.spawn(['run', '-i', image, 'sh', '-c', 'echo up; read x; echo "$x"; exit 5'], {
        stdin: 'pipe',
      });
      await new Promise((resolve) => foreground.stdout?.once('data', resolve));
      await host.sandbox(['run', '-d', '--name', 'ucp-e2e-survivor', image, 'sleep', '60']);
      process.kill(await pid(), 'SIGKILL');
      const listed = JSON.parse((await host.sandbox(['ps', '--json'])).stdout) as { name: string }[];
      expect(listed.map(({ name }) => name)).toContain('ucp-e2e-survivor');
      expect(listed).toHaveLength(2);
      foreground.stdin?.end('last words\n');
      const ended = await foreground;
      expect([ended.exitCode, String(ended.stdout)]).toEqual([5, 'up\nlast words\n']);
      await docker('restart', '-t', '0', 'ucp-e2e-survivor');
      expect((await host.sandbox(['exec', 'ucp-e2e-survivor', 'true'])).exitCode).toBe(0);
      await host.sandbox(['rm', '-f', 'ucp-e2e-survivor']);
      await until('nothing left', async () => (await host.containers()).length === 0);
    },
  );

  verifies(['CP-08', 'LC-05'], 'is restarted by command under its sandboxes, and its log is followed', async () => {
    await host.sandbox(['run', '-d', '--name', 'ucp-e2e-survivor', image, 'sleep', '600']);
    const started = (await host.ucpd(['logs', '--json'])).stdout;
    const stop = new AbortController();
    const follower = host.ucpd(['logs', '-f', '--json'], {
      stdout: ['pipe', { file: host.path('followed') }],
      cancelSignal: stop.signal,
    });
    const followed = (): number => read(host.path('followed')).split('"policy_applied"').length;
    await until('what was there', () => followed() >= started.split('"policy_applied"').length);
    const [before, told] = [await pid(), followed()];
    expect((await host.ucpd(['restart'])).exitCode).toBe(0);
    expect(await pid()).not.toBe(before);
    await until('the log of the next one', () => followed() > told);
    stop.abort();
    await follower;
    expect((await host.sandbox(['exec', 'ucp-e2e-survivor', 'true'])).exitCode).toBe(0);
    await host.sandbox(['rm', '-f', 'ucp-e2e-survivor']);
    await until('nothing left', async () => (await host.containers()).length === 0);
  });

  verifies(['CP-02'], 'leaves when it has been idle', async () => {
    const brief = new TestHost({ env: { UCP_IDLE_SECONDS: '1' } });
    try {
      await brief.sandbox(['run', image, 'true']);
      await until('left', async () => (await brief.ucpd(['status'])).exitCode !== 0);
    } finally {
      await brief[Symbol.asyncDispose]();
    }
  });
});

/** Pids of processes whose environment has `marker` and whose command line has `word`. */
function processesWith(marker: string, word: string): readonly string[] {
  return readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      read(`/proc/${pid}/environ`).split('\0').includes(marker) &&
      read(`/proc/${pid}/cmdline`).includes(word),
  );
}

/** A file's text; empty when it can't be read, as of a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
