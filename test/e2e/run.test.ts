import { writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox, trait } from '../images/index.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('ucp-sandbox run', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost({ env: { HOST_ONLY: 'leak-me-not', SHARED: 'from-host' } });
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['RUN-01', 'RUN-03'], 'passes the exit code on and keeps stdout to the workload', async () => {
    const ran = await host.sandbox(['run', image, 'sh', '-c', 'printf out; printf err >&2; exit 42']);
    expect(ran).toMatchObject({ exitCode: 42, stdout: 'out' });
    expect(ran.stderr).toContain('err');
  });

  verifies(['RUN-02'], 'says 127, 126 and 128+n as docker does', async () => {
    expect((await host.sandbox(['run', image, 'no-such-program'])).exitCode).toBe(127);
    expect((await host.sandbox(['run', image, '/etc'])).exitCode).toBe(126);
    expect((await host.sandbox(['run', image, 'sh', '-c', 'kill -KILL $$'])).exitCode).toBe(137);
    expect((await host.sandbox(['run', image, 'sh', '-c', 'kill -TERM $$'])).exitCode).toBe(143);
  });

  verifies(['RUN-04'], 'takes --flag=value and --flag value', async () => {
    const joined = await host.sandbox(['run', '--env=A=1', '--workdir=/tmp', image, 'sh', '-c', 'echo $A $PWD']);
    const spaced = await host.sandbox(['run', '--env', 'A=1', '--workdir', '/tmp', image, 'sh', '-c', 'echo $A $PWD']);
    expect(joined).toEqual(spaced);
    expect(joined.stdout).toBe('1 /tmp\n');
  });

  verifies(['RUN-05'], 'ends flags at the image and never joins or splits arguments', async () => {
    const ran = await host.sandbox([
      'run',
      image,
      'sh',
      '-c',
      'for a; do echo "<$a>"; done',
      'sh',
      '-e',
      'a b',
      '',
      '--name',
      '*',
      '$HOME',
      "it's",
    ]);
    expect(ran.stdout).toBe("<-e>\n<a b>\n<>\n<--name>\n<*>\n<$HOME>\n<it's>\n");
  });

  verifies(['RUN-06'], 'passes no host variable that is not named', async () => {
    const ran = await host.sandbox(['run', '-e', 'SHARED', '-e', 'OWN=x y', image, 'env']);
    expect(ran.stdout).toContain('SHARED=from-host\n');
    expect(ran.stdout).toContain('OWN=x y\n');
    expect(ran.stdout).not.toContain('leak-me-not');
  });

  verifies(['RUN-07'], 'mounts what is required by itself, read-only', async () => {
    const ran = await host.sandbox([
      'run',
      image,
      'sh',
      '-c',
      'ls /.ucp/run; touch /.ucp/run/x; cat /.ucp/run/policy.json; env',
    ]);
    expect(ran.stdout).toContain('sensor.sock');
    expect(ran.stdout).toContain('"format":1');
    expect(ran.stdout).toContain('UCP_SENSOR_SOCKET=/.ucp/run/sensor.sock');
    expect(ran.stderr).toMatch(/read-only file system/i);
  });

  verifies(['RUN-08'], 'takes env files, users, tmpfs, labels and entrypoints as docker does', async () => {
    writeFileSync(host.path('env'), '# comment\nA=one two\nSHARED\nABSENT\n');
    const ran = await host.sandbox([
      'run', '--env-file', host.path('env'), '-u', '1234:2345', '--tmpfs', '/scratch:size=1m', '--label', 'team=a b', '--name', 'ucp-e2e-named',
      '--entrypoint', '/bin/sh', image, '-c', 'id -u; id -g; echo "$A $SHARED ${ABSENT-none}"; touch /scratch/x && echo wrote',
    ]); // prettier-ignore
    expect(ran.stdout).toBe('1234\n2345\none two from-host none\nwrote\n');
  });

  verifies(['RUN-08'], "keeps the image's own entrypoint, command, user and directory", async () => {
    const ran = await host.sandbox(['run', await trait('defaults')]);
    expect(ran.stdout).toBe('entrypoint default-command uid=1000 cwd=/srv\n');
  });

  verifies(['RUN-15'], 'delivers all output of a workload that ends at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ran = await host.sandbox([
        'run',
        image,
        'sh',
        '-c',
        'head -c 200000 /dev/zero | tr "\\0" x; echo done >&2',
      ]);
      expect([ran.exitCode, ran.stdout.length, ran.stderr.endsWith('done\n')]).toEqual([0, 200_000, true]);
    }
  });

  verifies(
    ['RUN-11'],
    '--dry-run shows plan and spec, --explain who decided, and neither creates anything',
    async () => {
      const dry = await host.sandbox(['run', '--dry-run', '-m', '64m', image, 'true']);
      const shown = JSON.parse(dry.stdout) as {
        plan: object;
        spec: { HostConfig: { Memory: number; CapDrop: string[] } };
      };
      expect(shown.spec.HostConfig).toMatchObject({ Memory: 64 * 1024 * 1024, CapDrop: ['ALL'] });
      const explained = await host.sandbox(['run', '--explain', '-m', '64m', image, 'true']);
      expect(explained.stdout).toMatch(/HostConfig\.Memory.*flag.*--memory/);
      expect(await host.containers()).toEqual([]);
    },
  );

  verifies(['RUN-18'], 'prints its version', async () => {
    expect((await host.sandbox(['--version'])).stdout).toBe('V26.11.0\n');
  });
});
