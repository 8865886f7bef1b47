import { writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

describe('network configurations by name', () => {
  let host: TestHost;
  let image: string;
  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['BC-3249'], 'BC-3249: --network-config NAME and --network-config=NAME mean the same', async () => {
    for (const flags of [['--network-config', 'locked-down'], ['--network-config=locked-down']]) {
      expect(await host.sandbox(['run', ...flags, image, 'echo', 'ran'])).toMatchObject({
        exitCode: 0,
        stdout: 'ran\n',
      });
      const refused = await host.sandbox(['run', ...flags, image, 'nc', '-w', '2', '198.51.100.1', '80']);
      expect(refused.exitCode).not.toBe(0);
    }
    const events = (await host.ucpd(['logs', '--json'])).stdout;
    expect(events.split('\n').filter((line) => line.includes('network_violation'))).toHaveLength(2);
  });

  verifies(['BC-3249'], 'tell an attached user what was refused and how to ask, and with -q nothing', async () => {
    const violations = async (): Promise<number> => {
      const { stdout } = await host.ucpd(['logs', '--json']);
      return stdout.split('\n').filter((line) => line.includes('network_violation')).length;
    };
    /** What it said by the time the violation is in the log. */
    const run = async (...flags: string[]) => {
      const before = await violations();
      const script = 'nc -w 2 198.51.100.1 80; cat; echo out';
      const args = ['run', '-i', ...flags, '--network-config=locked-down', image, 'sh', '-c', script];
      const running = host.spawn(args, { stdin: 'pipe', reject: false, stripFinalNewline: false });
      await until('it is told of', async () => (await violations()) > before);
      running.stdin?.end();
      const { stdout, stderr } = await running;
      expect(stdout).toBe('out\n');
      return String(stderr)
        .split('\n')
        .filter((line) => line.startsWith('refused: '));
    };
    const lines = await run();
    expect(lines).toEqual([
      expect.stringMatching(/198\.51\.100\.1:80.*no egress rule.*network config locked-down, \/network/),
    ]);
    const [, question = ''] = /`ucp-sandbox (.*)`$/.exec(lines[0] ?? '') ?? [];
    const asked = await host.sandbox(question.split(' '));
    expect([asked.exitCode, asked.stdout]).toEqual([1, expect.stringContaining('198.51.100.1')]);
    expect(await run('-q')).toEqual([]);
  });

  verifies(['PL-10'], 'that do not exist are refused with the names of those that do', async () => {
    for (const name of ['nope', '', '../web', 'WEB', 'web ', '__proto__']) {
      const ran = await host.sandbox(['run', `--network-config=${name}`, image, 'echo', 'ran']);
      expect([name, ran.exitCode, ran.stdout]).toEqual([name, 125, '']);
      expect(ran.stderr).toContain('open, web, registry, locked-down, none');
    }
    const shown = await host.sandbox(['network', 'show', 'nope']);
    expect(shown.exitCode).toBe(125);
    expect(shown.stderr).toContain('open, web, registry, locked-down, none');
  });

  verifies(['PL-10', 'CP-05'], 'are listed, shown and asked; a policy with its own has no wide presets', async () => {
    const listed = await host.sandbox(['--list-network-configs']);
    expect(listed.stdout).toContain('locked-down');
    expect((await host.sandbox(['network', 'ls'])).stdout).toBe(listed.stdout);
    expect(JSON.parse((await host.sandbox(['network', 'show', 'none'])).stdout)).toMatchObject({ ingress: [] });
    expect((await host.sandbox(['network', 'check', 'web', 'example.com:443'])).exitCode).toBe(0);
    const denied = await host.sandbox(['network', 'check', 'web', '169.254.169.254:80']);
    expect(denied.exitCode).toBe(1);
    expect(denied.stdout).toContain('metadata');

    await host.policy(['keygen', '--out', host.path('key')]);
    const policy = host.path('policy.json');
    writeFileSync(policy, JSON.stringify({ policy_id: 'e2e', version: 1, network: { mine: { remediate: true } } }));
    await host.policy(['sign', policy, '--key', host.path('key')]);
    const of = ['--policy', policy, '--policy-key', host.path('key.pub')];
    const names = JSON.parse((await host.sandbox(['network', 'ls', '--json', ...of])).stdout) as { name: string }[];
    expect(names.map(({ name }) => name).toSorted()).toEqual(['locked-down', 'mine', 'none']);
    const wide = await host.sandbox(['run', ...of, '--network-config', 'open', image, 'true']);
    expect(wide).toMatchObject({ exitCode: 125 });
    expect(wide.stderr).toContain('NETWORK_CONFIG_UNKNOWN');
    expect((await host.sandbox(['run', ...of, '--network-config', 'none', image, 'true'])).exitCode).toBe(0);
  });
});
