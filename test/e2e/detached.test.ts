import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { docker, inspect, until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('a detached sandbox', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['RUN-10', 'CP-07'], 'is listed, logged, inspected, entered, stopped and removed by name', async () => {
    const started = await host.sandbox([
      'run',
      '-d',
      '--name',
      'ucp-e2e-web',
      '-e',
      'A=1',
      image,
      'sh',
      '-c',
      'echo hello; echo oops >&2; sleep 60',
    ]);
    expect(started).toMatchObject({ exitCode: 0 });
    expect(started.stdout).toMatch(/^[0-9a-f]{64}\n$/);

    const [listed] = JSON.parse((await host.sandbox(['ps', '--json'])).stdout) as {
      name: string;
      state: string;
      policyDigest: string;
    }[];
    expect(listed).toMatchObject({ name: 'ucp-e2e-web', state: 'running' });
    const { Config } = (await inspect('ucp-e2e-web')) as { Config: { Labels: Record<string, string> } };
    expect(Config.Labels['ucp.policy.digest']).toBe(listed?.policyDigest);

    await until('output logged', async () => (await host.sandbox(['logs', 'ucp-e2e-web'])).stdout === 'hello\n');
    expect((await host.sandbox(['logs', 'ucp-e2e-web'])).stderr).toBe('oops\n');
    expect(await host.sandbox(['exec', '-e', 'B=2', 'ucp-e2e-web', 'sh', '-c', 'echo $A $B; exit 3'])).toMatchObject({
      exitCode: 3,
      stdout: '1 2\n',
    });
    expect((await host.sandbox(['rm', 'ucp-e2e-web'])).exitCode).not.toBe(0);
    expect((await host.sandbox(['stop', '-t', '0', 'ucp-e2e-web'])).exitCode).toBe(0);
    expect((await host.sandbox(['rm', 'ucp-e2e-web'])).exitCode).toBe(0);
    expect(JSON.parse((await host.sandbox(['ps', '-a', '--json'])).stdout)).toEqual([]);
  });

  verifies(['RUN-10'], 'goes away by itself with --rm', async () => {
    await host.sandbox(['run', '-d', '--rm', '--name', 'ucp-e2e-brief', image, 'true']);
    await until('removed', async () => (await host.containers()).length === 0);
  });

  verifies(['INIT-02'], 'asks for policy again at each start of a restart policy and of docker start', async () => {
    await host.sandbox([
      'run',
      '-d',
      '--name',
      'ucp-e2e-again',
      '--restart',
      'on-failure:2',
      image,
      'sh',
      '-c',
      'echo started; exit 1',
    ]);
    await until(
      'three starts',
      async () => (await docker('logs', 'ucp-e2e-again')).stdout === 'started\nstarted\nstarted',
    );
    await docker('start', 'ucp-e2e-again');
    await until('started by hand', async () => (await docker('logs', 'ucp-e2e-again')).stdout.split('\n').length > 3);
    await host.sandbox(['rm', '-f', 'ucp-e2e-again']);
  });

  verifies(['INIT-01'], 'does not run its workload when no control plane answers', async () => {
    await host.sandbox(['run', '-d', '--name', 'ucp-e2e-alone', image, 'sh', '-c', 'echo ran; sleep 60']);
    await until('ran once', async () => (await docker('logs', 'ucp-e2e-alone')).stdout === 'ran');
    await host.sandbox(['stop', '-t', '0', 'ucp-e2e-alone']);
    await host.ucpd(['stop']);
    await docker('start', 'ucp-e2e-alone');
    await until(
      'ended',
      async () => (await docker('inspect', '-f', '{{.State.ExitCode}}', 'ucp-e2e-alone')).stdout === '125',
    );
    const { stdout, stderr } = await docker('logs', 'ucp-e2e-alone');
    expect(stdout).toBe('ran');
    expect(stderr).toContain('ucp-init:');
    await host.sandbox(['rm', '-f', 'ucp-e2e-alone']);
  });

  verifies(['RUN-09'], 'binds ports to 127.0.0.1 unless an address is given', async () => {
    await host.sandbox([
      'run',
      '-d',
      '--name',
      'ucp-e2e-ports',
      '-p',
      '8080',
      '-p',
      '0.0.0.0::8081',
      image,
      'sleep',
      '60',
    ]);
    const { NetworkSettings } = (await inspect('ucp-e2e-ports')) as {
      NetworkSettings: { Ports: Record<string, { HostIp: string }[]> };
    };
    expect(NetworkSettings.Ports['8080/tcp']?.map(({ HostIp }) => HostIp)).toEqual(['127.0.0.1']);
    expect(NetworkSettings.Ports['8081/tcp']?.map(({ HostIp }) => HostIp)).toEqual(['0.0.0.0']);
    await host.sandbox(['rm', '-f', 'ucp-e2e-ports']);
  });
});
