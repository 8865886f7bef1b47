import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';

import type { Network } from '../../../src/policy/index.ts';
import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { OwnEngine } from './helpers/own-engine.ts';
import { policyFlags } from './helpers/policy-flags.ts';

const ALLOWED = '198.51.100.241';
const DENIED = '203.0.113.241';
const ALLOWED6 = '2001:db8:fff1::1';
const NETWORK: Network = {
  sites: { remediate: true, egress: [{ to: [ALLOWED, ALLOWED6], ports: [80] }] },
};

describe.each([
  { liveRestore: false, signal: 'SIGTERM' },
  { liveRestore: true, signal: 'SIGTERM' },
] as const)('an engine that ends by $signal, live-restore $liveRestore', ({ liveRestore, signal }) => {
  const BOX = 'box';
  let engine: OwnEngine;
  let host: TestHost;
  let image: string;
  let flags: readonly string[];
  beforeAll(async () => {
    image = await busybox();
    engine = await OwnEngine.start(liveRestore, [ALLOWED, DENIED, ALLOWED6]);
    await engine.load(image);
    host = new TestHost({ env: engine.env });
    flags = await policyFlags(host, NETWORK);
  });
  afterEach(async () => void (await host.sandbox(['rm', '-f', BOX])));
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  const pidOf = async (): Promise<string> => (await engine.docker('inspect', '-f', '{{.State.Pid}}', BOX)).stdout;
  /** Of the sandbox with this process, also while no engine is there: what it reaches. */
  const reaches = async (pid: string): Promise<readonly boolean[]> => {
    const urls = [ALLOWED, DENIED, `[${ALLOWED6}]`].map((at) => `http://${at}/`);
    const got = urls.map((url) => engine.run('nsenter', '-t', pid, '-n', 'curl', '-s', '--max-time', '10', url));
    return (await Promise.all(got)).map(({ exitCode }) => exitCode === 0);
  };
  const SHUT = [true, false, true];

  verifies(['NET-26', 'NET-27'], 'leaves no sandbox without its rules, before, meanwhile and after', async () => {
    const start = ['run', '-d', '--restart', 'always', '--name', BOX, '--network-config', 'sites', ...flags];
    expect(await host.sandbox([...start, image, 'sleep', '600'])).toMatchObject({ exitCode: 0 });
    const first = await pidOf();
    expect(await reaches(first)).toEqual(SHUT);
    // The control: without rules all of it is there.
    expect((await engine.docker('run', '--rm', image, 'wget', '-q', '-O-', `http://${DENIED}/`)).stdout).toMatch(
      /^hello/,
    );

    // A host's firewall that is emptied changes nothing in a sandbox.
    expect(await engine.run('nft', 'flush', 'ruleset')).toMatchObject({ exitCode: 0 });
    expect((await engine.run('nft', 'list', 'ruleset')).stdout).toBe('');
    expect(await reaches(first)).toEqual(SHUT);

    await engine.halt(signal);
    if (liveRestore) expect(await reaches(first)).toEqual(SHUT);
    await engine.launch();
    await until('it runs', async () => (await engine.docker('exec', BOX, 'true')).exitCode === 0, 60_000);
    const second = await pidOf();
    expect(second === first).toBe(liveRestore);
    expect(await reaches(second)).toEqual(SHUT);

    expect(await host.sandbox(['restart', '-t', '0', BOX])).toMatchObject({ exitCode: 0 });
    const third = await pidOf();
    expect(third).not.toBe(second);
    expect(await reaches(third)).toEqual(SHUT);
  });
});
