import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { field } from '../../src/core/unknown.ts';
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

  verifies(['CP-08'], 'is told by sync, status and logs', async () => {
    const json = async (...args: string[]): Promise<unknown> => JSON.parse((await host.ucpd(args)).stdout);
    await host.sandbox(['run', '-d', '--name', 'ucp-e2e-life', image, 'sleep', '600']);
    await until('all arrived', async () => told(await json('status', '--json'), 'waiting', 'critical') === 0);
    receiver.decide(() => ({ status: 503 }));
    const since = new Date().toISOString();
    await publish(4);
    const synced = await json('sync', '--wait', '--json');
    expect(synced).toMatchObject({ outcome: 'activated', policy: { id: 'life', version: 4 } });
    rmSync(host.path('bucket/policy.json.sig'));
    const failed = await host.ucpd(['sync', '--wait']);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('POLICY_NOT_LOADED')]);

    const exports = async (state: string): Promise<boolean> =>
      told(await json('status', '--json'), 'export', 'state') === state;
    await until('the export waits', () => exports('retrying'));
    const status = await json('status', '--json');
    const sha256 = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string;
    const number = expect.any(Number) as number;
    expect(status).toMatchObject({
      state: 'active',
      policy: { id: 'life', version: 4, digest: sha256, key: sha256, generation: number, size: number },
      last_check: { outcome: 'failed', error: { code: 'POLICY_SOURCE_MISSING' } },
      controls: { in_force: expect.any(Array) as [], not_observed: expect.any(Array) as [], not_enforced: [] },
      sandboxes: { running: 1, total: 1, outdated: expect.any(Array) as [] },
      telemetry: { spool: { state: 'ok', error: null, disk_bytes: number }, export: { last_error: 'HTTP 503' } },
    });
    expect(told(status, 'waiting', 'critical')).toBeGreaterThanOrEqual(6);

    const { stdout } = await host.ucpd(['logs', '--json', '--since', since]);
    const logged = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { observed: number; body: object });
    expect(logged.every(({ observed }) => observed >= Date.parse(since))).toBe(true);
    expect(logged.flatMap(({ body }) => field(body, 'action') ?? [])).toEqual(
      expect.arrayContaining(['policy_download_attempt', 'policy_download_success', 'policy_applied']),
    );
    expect((await host.ucpd(['logs'])).stdout).toMatch(/WARN +policy_lifecycle .*policy_rejected/);

    receiver.decide(() => undefined);
    await until('the export is well', () => exports('ok'));
    await until('the spool is empty', async () => told(await json('status', '--json'), 'waiting', 'critical') === 0);
    await host.sandbox(['rm', '-f', 'ucp-e2e-life']);
  });
});

/** A field of the spool or the export in a status. */
function told(status: unknown, part: 'waiting' | 'export', name: string): unknown {
  const telemetry = field(status, 'telemetry');
  return field(part === 'export' ? field(telemetry, part) : field(field(telemetry, 'spool'), part), name);
}
