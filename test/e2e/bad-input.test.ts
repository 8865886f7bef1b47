import { createServer } from 'node:http';
import { symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('bad input', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  /** Runs it; expects 125, one line of ours that matches, an empty stdout and nothing left behind. */
  const refused = async (
    args: readonly string[],
    message: RegExp,
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const before = (await host.containers()).length;
    const ran = await host.sandbox(args, { env });
    expect([args, ran.exitCode, ran.stdout]).toEqual([args, 125, '']);
    const lines = ran.stderr.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(message);
    expect(await host.containers()).toHaveLength(before);
    expect(host.sandboxDirs()).toHaveLength(before);
  };

  verifies(['RUN-17'], 'names an unknown flag, a missing image and a bad value', async () => {
    await refused(['run', '--bogus', image], /--bogus/);
    await refused(['run'], /image/i);
    await refused(['run', '-m', 'lots', image], /memory.*lots/i);
    await refused(['run', '-p', '99999', image], /99999/);
  });

  verifies(['RUN-17'], 'names an image that is nowhere', async () => {
    await refused(['run', '--pull', 'never', 'ucp-test/absent:1', 'true'], /ucp-test\/absent:1/);
  });

  verifies(['RUN-17'], 'names an engine that cannot be reached, that may not be used, or that is too old', async () => {
    await refused(['run', image, 'true'], /unix:\/\/\/nowhere\.sock/, { DOCKER_HOST: 'unix:///nowhere.sock' });
    const old = createServer((_, answer) =>
      answer
        .setHeader('Api-Version', '1.24')
        .end(JSON.stringify({ ApiVersion: '1.24', Version: '1.12.0', Os: 'linux' })),
    );
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = old.address() as AddressInfo;
      await refused(['run', image, 'true'], /1\.24|too old/i, { DOCKER_HOST: `tcp://127.0.0.1:${port}` });
    } finally {
      old.close();
    }
  });

  verifies(['RUN-17'], 'names an engine that is not the one of the control plane that runs', async () => {
    expect((await host.sandbox(['run', image, 'true'])).exitCode).toBe(0);
    await until('removed', async () => (await host.containers()).length === 0);
    const alias = host.path('engine.sock');
    symlinkSync('/var/run/docker.sock', alias);
    await refused(['run', image, 'true'], /ENGINE_MISMATCH.*ucpd stop/, { DOCKER_HOST: `unix://${alias}` });
  });

  verifies(['RUN-17'], 'names a policy that is absent or has no key', async () => {
    await refused(
      ['run', '--policy', host.path('absent.json'), '--policy-key', host.path('absent.pub'), image, 'true'],
      /absent\.json/,
    );
    writeFileSync(host.path('p.json'), '{}');
    await refused(['run', '--policy', host.path('p.json'), image, 'true'], /key/);
  });

  verifies(['RUN-17'], 'names a volume source that does not exist', async () => {
    await refused(['run', '-v', `${host.dir}/absent:/data`, image, 'true'], /absent/);
  });

  verifies(['RUN-17'], 'names a name and a port that are in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      await refused(['run', '-p', `${port}:80`, image, 'true'], new RegExp(String(port)));
      expect((await host.sandbox(['run', '-d', '--name', 'ucp-e2e-taken', image, 'sleep', '60'])).exitCode).toBe(0);
      await refused(['run', '--name', 'ucp-e2e-taken', image, 'true'], /ucp-e2e-taken/);
    } finally {
      taken.close();
      await host.sandbox(['rm', '-f', 'ucp-e2e-taken']);
    }
  });

  verifies(['BC-3249', 'RUN-17'], 'understands both forms of --network-config and names an unknown one', async () => {
    await refused(['run', '--network-config=nosuch', image, 'true'], /nosuch/);
    await refused(['run', '--network-config', 'nosuch', image, 'true'], /nosuch/);
  });
});
