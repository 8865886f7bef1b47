import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { startOtlpReceiver } from '../fakes/otlp-receiver.ts';
import { busybox } from '../images/index.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('the life of a policy', () => {
  let host: TestHost;
  let image: string;
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    host = new TestHost();
    image = await busybox();
    mkdirSync(host.path('bucket'));
    await host.policy(['keygen', '--out', host.path('key')]);
    await publish(1);
    writeFileSync(
      host.path('config.yaml'),
      [
        'event_format: OTEL',
        `event_url: ${receiver.url}`,
        'ucpcm:',
        `  policy_url: file://${host.path('bucket')}/`,
        '  policy: policy.json',
        '  policy_sig: policy.json.sig',
        `  public_key: file://${host.path('key.pub')}`,
        '  transport: { transport_type: file, auth_method: default }',
      ].join('\n'),
    );
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await receiver.close();
  });

  /** Puts a signed policy of that version where the control plane looks. */
  const publish = async (version: number): Promise<void> => {
    const policy = host.path('bucket/policy.json');
    writeFileSync(
      policy,
      JSON.stringify({
        policy_id: 'life',
        version,
        options: { enable: true, remediate: true, limits: { pids: 100 + version } },
      }),
    );
    await host.policy(['sign', policy, '--key', host.path('key')]);
  };
  /** `body` of the lifecycle events that have arrived, in order. */
  const lifecycle = (): Record<string, unknown>[] =>
    receiver
      .records()
      .filter(({ eventName }) => eventName === 'policy_lifecycle')
      .map(({ body }) => body as Record<string, unknown>);
  const actions = (): unknown[] => lifecycle().map(({ action }) => action);

  verifies(['EV-01'], 'is told in the specified order and fields on a cold start', async () => {
    expect((await host.sandbox(['run', image, 'true'])).exitCode).toBe(0);
    await until('success arrived', () => actions().includes('policy_download_success'));
    const specified = lifecycle().filter(({ action }) => String(action).startsWith('policy_download_'));
    const startup_state = 'ColdStartup';
    expect(specified).toEqual([
      { action: 'policy_download_attempt', delay: 300, error: null, startup_state },
      { action: 'policy_download_started', startup_state },
      { action: 'policy_download_completed', error: null, startup_state },
      { action: 'policy_download_success', delay: 300, error: null, startup_state },
    ]);
    const [first] = receiver.records().filter(({ eventName }) => eventName === 'policy_lifecycle');
    expect(first).toMatchObject({
      severityText: 'INFO',
      attributes: { event_name: 'policy_lifecycle', domain: 'pcm' },
    });
  });

  verifies(['EV-01'], 'has nothing after the attempt when nothing is newer', async () => {
    const before = actions().length;
    expect((await host.ucpd(['sync'])).exitCode).toBe(0);
    await until('attempt arrived', () => actions().length > before);
    expect(actions().slice(before)).toEqual(['policy_download_attempt']);
  });

  verifies(['EV-01', 'INIT-02'], 'reaches the next start of a sandbox that already exists', async () => {
    await host.sandbox(['run', '-d', '--name', 'ucp-e2e-life', image, 'sleep', '60']);
    await publish(2);
    await host.ucpd(['sync']);
    await until(
      'new policy arrived',
      () => actions().filter((action) => action === 'policy_download_success').length === 2,
    );
    const { spec } = JSON.parse((await host.sandbox(['run', '--dry-run', image, 'true'])).stdout) as {
      spec: { HostConfig: { PidsLimit: number } };
    };
    expect(spec.HostConfig.PidsLimit).toBe(102);
    expect((await host.sandbox(['exec', 'ucp-e2e-life', 'cat', '/.ucp/run/policy.json'])).stdout).toContain(
      '"version":2',
    );
    await host.sandbox(['rm', '-f', 'ucp-e2e-life']);
  });

  verifies(['CP-06'], 'leaves the active policy undisturbed when the next one is spoiled', async () => {
    await publish(3);
    appendFileSync(host.path('bucket/policy.json'), ' ');
    await host.ucpd(['sync']);
    await until('rejection arrived', () => actions().includes('policy_rejected'));
    const status = JSON.parse((await host.ucpd(['status', '--json'])).stdout) as {
      policy: { id: string; version: number };
    };
    expect(status.policy).toMatchObject({ version: 2 });
  });
});
