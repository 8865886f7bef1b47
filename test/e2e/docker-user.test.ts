import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { docker, until } from './helpers/docker.ts';
import { verifies } from './helpers/verifies.ts';
import { policyFlags } from './network/helpers/policy-flags.ts';

const USER = 'ucp-e2e-user';

/** Needs root to make the user; the suite's set-up runs as root or through sudo. */
describe('an ordinary user who is only a member of group docker', () => {
  let home: string;
  let image: string;

  beforeAll(async () => {
    image = await busybox();
    await execa('userdel', [USER], { reject: false });
    await execa('useradd', ['--system', '--no-create-home', '--groups', 'docker', USER]);
    home = mkdtempSync(join(tmpdir(), 'ucp-user-'));
    await execa('chown', [USER, home]);
    chmodSync(home, 0o755);
  });
  afterAll(async () => {
    await asUser('ucpd', 'stop');
    await execa('userdel', [USER], { reject: false });
    rmSync(home, { recursive: true, force: true });
  });

  const asUser = (program: string, ...args: string[]): Promise<{ exitCode?: number; stdout: string; stderr: string }> =>
    execa(
      'setpriv',
      [
        '--reuid',
        USER,
        '--regid',
        USER,
        '--init-groups',
        '--reset-env',
        'env',
        `PATH=${process.env['PATH']}`,
        `HOME=${home}`,
        `UCP_STATE_DIR=${home}/s`,
        process.execPath,
        `bin/${program}.js`,
        ...args,
      ],
      { reject: false, stdin: 'ignore' },
    );

  verifies(['RUN-16', 'NET-09'], 'has network rules in force, by a helper in a container', async () => {
    const reach = ['nc', '-w', '2', '198.51.100.250', '80'];
    const ran = await asUser('ucp-sandbox', 'run', '--network-config', 'locked-down', image, ...reach);
    expect(ran.exitCode).toBe(1);
    await until('it is told of', async () => {
      const { stdout } = await asUser('ucpd', 'logs', '--json');
      return stdout.split('\n').some((line) => /"network_violation".*198\.51\.100\.250/.test(line));
    });
  });

  verifies(['RUN-16', 'NET-22'], 'has them on a network of the engine that others are on, too', async () => {
    const network = `ucp-user-${process.pid}`;
    const peer = `${network}-peer`;
    try {
      const made = await docker('network', 'create', network);
      if (made.exitCode !== 0) throw new Error(made.stderr);
      await docker('run', '-d', '--name', peer, '--network', network, image, 'httpd', '-f', '-p', '80');
      const of = ['-f', `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`];
      const address = (await docker('inspect', ...of, peer)).stdout;
      const path = (...parts: string[]): string => join(home, ...parts);
      const policy = async (args: readonly string[]) => {
        const { exitCode = -1, stdout, stderr } = await asUser('ucp-policy', ...args);
        return { exitCode, stdout, stderr };
      };
      writeFileSync(path('policy.json'), '');
      await execa('chown', [USER, path('policy.json')]);
      const egress = [{ to: [peer, `${address}/32`], ports: [80] }];
      const flags = await policyFlags(
        { path, policy },
        { peer: { remediate: true, egress }, shut: { remediate: true } },
      );
      const reach = async (config: string, port: number): Promise<number | undefined> => {
        const under = ['--network', network, '--network-config', config, ...flags];
        const script = `nc -w 5 ${peer} ${port} </dev/null`;
        return (await asUser('ucp-sandbox', 'run', '-q', ...under, image, 'sh', '-c', script)).exitCode;
      };
      expect(await reach('peer', 80)).toBe(0);
      expect(await reach('peer', 81)).toBe(1);
      expect(await reach('shut', 80)).toBe(1);
    } finally {
      await docker('rm', '-f', peer);
      await docker('network', 'rm', network);
    }
  });

  verifies(['RUN-16'], 'runs, detaches and leaves nothing, without root anywhere', async () => {
    const ran = await asUser('ucp-sandbox', 'run', image, 'sh', '-c', 'grep CapEff /proc/self/status; exit 6');
    expect(ran.exitCode).toBe(6);
    expect(ran.stdout).toMatch(/CapEff:\s+0{16}/);
    const started = await asUser('ucp-sandbox', 'run', '-d', '--name', 'ucp-e2e-user', image, 'sleep', '60');
    expect(started.exitCode).toBe(0);
    const removed = await asUser('ucp-sandbox', 'rm', '-f', 'ucp-e2e-user');
    expect(removed.exitCode).toBe(0);
    await until('gone', async () => (await docker('ps', '-aq', '--filter', 'name=ucp-e2e-user')).stdout === '');
  });
});
