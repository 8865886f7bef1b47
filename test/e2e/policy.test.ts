import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { inspect } from './helpers/docker.ts';
import { type Outcome, TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('a signed policy', () => {
  let host: TestHost;
  let image: string;
  let files = 0;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
    await host.policy(['keygen', '--out', host.path('key')]);
    await host.policy(['keygen', '--out', host.path('other')]);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  /** Writes a signed policy with these sections; its path. */
  const signed = async (sections: object): Promise<string> => {
    files += 1;
    const path = host.path(`policy-${files}.json`);
    writeFileSync(path, JSON.stringify({ policy_id: 'e2e', version: files, ...sections }));
    expect(await host.policy(['sign', path, '--key', host.path('key')])).toMatchObject({ exitCode: 0 });
    return path;
  };
  const under = (policy: string, ...args: string[]): Promise<Outcome> =>
    host.sandbox(['run', '--policy', policy, '--policy-key', host.path('key.pub'), ...args]);

  verifies(['CP-06', 'CP-07'], 'is verified and stamped on the container', async () => {
    const policy = await signed({ options: { enable: true, remediate: true } });
    expect(await under(policy, image, 'echo', 'ok')).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    await under(policy, '-d', '--name', 'ucp-e2e-signed', image, 'sleep', '60');
    const { Config } = (await inspect('ucp-e2e-signed')) as { Config: { Labels: Record<string, string> } };
    expect(Config.Labels['ucp.policy.id']).toBe('e2e');
    await host.sandbox(['rm', '-f', 'ucp-e2e-signed']);
  });

  verifies(
    ['PL-01', 'CP-06'],
    'is refused unsigned, with an empty, foreign or truncated signature, or with other bytes',
    async () => {
      const refusals: [string, (policy: string) => void][] = [
        ['other bytes', (policy) => appendFileSync(policy, ' ')],
        ['byte order mark', (policy) => writeFileSync(policy, `\ufeff${readFileSync(policy, 'utf8')}`)],
        ['empty signature', (policy) => writeFileSync(`${policy}.sig`, '')],
        ['truncated signature', (policy) => truncateSync(`${policy}.sig`, 20)],
        ['signature of another policy', (policy) => copyFileSync(host.path('policy-1.json.sig'), `${policy}.sig`)],
      ];
      for (const [what, spoil] of refusals) {
        const policy = await signed({ options: { enable: true } });
        expect((await under(policy, image, 'true')).exitCode).toBe(0);
        spoil(policy);
        const refused = await under(policy, image, 'echo', 'ran');
        expect([what, refused.exitCode, refused.stdout]).toEqual([what, 125, '']);
        expect(refused.stderr).toMatch(/signature|signed/i);
      }
      const policy = await signed({});
      const foreign = await host.sandbox([
        'run',
        '--policy',
        policy,
        '--policy-key',
        host.path('other.pub'),
        image,
        'true',
      ]);
      expect(foreign.exitCode).toBe(125);
    },
  );

  verifies(['PL-05'], 'is refused with the pointer of an unknown key', async () => {
    const refused = await under(await signed({ exec: { enable: true, denylist: [] } }), image, 'true');
    expect(refused.exitCode).toBe(125);
    expect(refused.stderr).toContain('/exec/denylist');
    expect(refused.stderr).toContain('deny_list');
  });

  verifies(['CP-05'], 'is not widened by any flag', async () => {
    const policy = await signed({
      options: {
        enable: true,
        remediate: true,
        namespaces: { pid: true },
        volumes: { allow_list: [`${host.dir}/ok/**`], writable: [] },
        env: { deny_list: ['SECRET*'] },
        limits: { memory: '64m', pids: 20 },
      },
    });
    for (const args of [
      ['--no-isolation'],
      ['--isolation', 'ipc'],
      ['-v', `${host.dir}:/data`],
      ['-e', 'SECRET_X=1'],
      ['-m', '128m'],
      ['--pids-limit', '21'],
    ]) {
      const refused = await under(policy, ...args, image, 'true');
      expect([args, refused.exitCode]).toEqual([args, 125]);
      expect(refused.stderr).toContain('/options/');
    }
    expect((await under(policy, '-m', '32m', '--pids-limit', '10', '-e', 'HARMLESS=1', image, 'true')).exitCode).toBe(
      0,
    );
    const { spec } = JSON.parse((await under(policy, '--dry-run', image, 'true')).stdout) as {
      spec: { HostConfig: { Memory: number; PidsLimit: number } };
    };
    expect(spec.HostConfig).toMatchObject({ Memory: 64 * 1024 * 1024, PidsLimit: 20 });
  });

  verifies(['CP-04'], 'is refused by name where it asks to enforce what is not in force here', async () => {
    const [enforced, observe] = [true, false].map((remediate) => ({ gateway: { mcp: { enable: true, remediate } } }));
    const policy = await signed({ ...enforced });
    const refused = await under(policy, image, 'true');
    expect(refused.exitCode).toBe(125);
    expect(refused.stderr).toMatch(/gateway/);
    const accepted = await under(policy, '--allow-degraded=gateway', image, 'true');
    expect(accepted.exitCode).toBe(0);
    expect(accepted.stderr).toMatch(/gateway/);
    const observed = await under(await signed({ ...observe }), image, 'true');
    expect(observed.exitCode).toBe(0);
  });
});
