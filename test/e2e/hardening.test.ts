import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox, trait } from '../images/index.ts';
import { inspect } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

interface Inspected {
  readonly HostConfig: {
    readonly Privileged: boolean;
    readonly CapAdd: string[] | null;
    readonly CapDrop: string[];
    readonly SecurityOpt: string[];
    readonly PidsLimit: number;
    readonly Memory: number;
    readonly PidMode: string;
  };
  readonly Config: { readonly Labels: Record<string, string>; readonly Env: string[] };
}

describe('hardening', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['CT-02'], 'gives no capability, no new privileges, masked paths and limits', async () => {
    const ran = await host.sandbox([
      'run',
      image,
      'sh',
      '-c',
      'grep -E "CapEff|CapBnd|NoNewPrivs|Seccomp:" /proc/self/status; ls /sys/firmware | wc -l; cat /proc/keys | wc -c; echo 1 > /proc/sys/vm/drop_caches',
    ]);
    expect(ran.stdout).toMatch(/CapEff:\s+0{16}\n/);
    expect(ran.stdout).toMatch(/CapBnd:\s+0{16}\n/);
    expect(ran.stdout).toMatch(/NoNewPrivs:\s+1\n/);
    expect(ran.stdout).toMatch(/Seccomp:\s+2\n/);
    expect(ran.stdout).toMatch(/\n0\n0\n$/);
    expect(ran.stderr).toMatch(/read-only file system/i);
  });

  verifies(['CT-02'], 'has no flag that widens it', async () => {
    for (const flag of [
      '--privileged',
      '--cap-add=SYS_ADMIN',
      '--security-opt=seccomp=unconfined',
      '--device=/dev/kmsg',
      '--pid=host',
      '--network=host',
      '--userns=host',
      '--volumes-from=x',
    ]) {
      const refused = await host.sandbox(['run', flag, image, 'true']);
      expect([flag, refused.exitCode]).toEqual([flag, 125]);
    }
  });

  verifies(['CT-03', 'EX-20'], "takes nothing from an image's labels and injection variables", async () => {
    const tag = await trait('hostile');
    const refused = await host.sandbox(['run', tag]);
    // Either the variables are gone or the run is refused by name; what may never happen is that they are in force.
    expect(refused.stdout).not.toContain('LD_PRELOAD=');
    expect(refused.stdout).not.toMatch(/evil\.(?:js|so|sh|py)\b/);
    await host.sandbox(['run', '-d', '--name', 'ucp-e2e-hostile', tag, 'sleep', '60']);
    const { Config, HostConfig } = (await inspect('ucp-e2e-hostile')) as Inspected;
    expect(Config.Labels['ucp.sandbox']).toMatch(/^[a-z0-9]{12}$/);
    expect(HostConfig).toMatchObject({ Privileged: false, CapAdd: null, CapDrop: ['ALL'] });
    await host.sandbox(['rm', '-f', 'ucp-e2e-hostile']);
  });

  verifies(['EX-20'], 'refuses injection variables by flag and lets others through', async () => {
    for (const name of [
      'LD_PRELOAD',
      'LD_AUDIT',
      'LD_LIBRARY_PATH',
      'BASH_ENV',
      'PYTHONSTARTUP',
      'NODE_REPL_EXTERNAL_MODULE',
      'PERL5OPT',
      'RUBYOPT',
      'JAVA_TOOL_OPTIONS',
      'GIT_SSH_COMMAND',
    ]) {
      const refused = await host.sandbox(['run', '-e', `${name}=/tmp/evil`, image, 'true']);
      expect([name, refused.exitCode, refused.stderr.includes(name)]).toEqual([name, 125, true]);
    }
    for (const options of ['--import=data:text/javascript,1', '--req"uire" ./x.js']) {
      expect((await host.sandbox(['run', '-e', `NODE_OPTIONS=${options}`, image, 'true'])).exitCode).toBe(125);
    }
    expect((await host.sandbox(['run', '-e', 'HARMLESS=1', image, 'true'])).exitCode).toBe(0);
  });

  verifies(['CT-04'], 'says that isolation is off on stderr and in a label', async () => {
    const isolated = await host.sandbox(['run', image, 'sh', '-c', 'ls -d /proc/[0-9]* | wc -l']);
    expect(Number(isolated.stdout)).toBeLessThan(8);
    await host.sandbox([
      'run',
      '-d',
      '--name',
      'ucp-e2e-shared',
      '--isolation',
      'ipc,uts,network',
      image,
      'sleep',
      '60',
    ]);
    const { Config, HostConfig } = (await inspect('ucp-e2e-shared')) as Inspected;
    expect(HostConfig.PidMode).toBe('host');
    expect(Config.Labels['ucp.isolation.off']).toContain('pid');
    await host.sandbox(['rm', '-f', 'ucp-e2e-shared']);
    const off = await host.sandbox(['run', '--no-isolation', image, 'true']);
    expect(off.stderr).toMatch(/isolation/i);
  });

  verifies(['CT-08'], 'survives exhaustion of processes and memory inside', async () => {
    const bomb = await host.sandbox([
      'run',
      '--pids-limit',
      '32',
      image,
      'sh',
      '-c',
      'for i in $(seq 100); do sleep 5 & done; echo end',
    ]);
    expect(bomb.stderr).toMatch(/can't fork|resource temporarily unavailable/i);
    const hog = await host.sandbox([
      'run',
      '-m',
      '16m',
      image,
      'sh',
      '-c',
      'x=$(head -c 200000000 /dev/zero | tr "\\0" x); echo survived',
    ]);
    expect(hog.exitCode).not.toBe(0);
  });

  verifies(['EX-22', 'INIT-01'], 'runs no health check and no workload before policy is in force', async () => {
    const started = await host.sandbox(['run', '-d', '--name', 'ucp-e2e-health', await trait('healthcheck')]);
    expect(started.exitCode).toBe(0);
    const { Config } = (await inspect('ucp-e2e-health')) as { Config: { Healthcheck: { Test: string[] } } };
    expect(Config.Healthcheck.Test.slice(0, 3)).toEqual(['CMD', '/.ucp/init', 'healthcheck']);
    await host.sandbox(['rm', '-f', 'ucp-e2e-health']);
  });
});
