import { afterAll, beforeAll, describe, expect } from 'vitest';

import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { Scene } from './helpers/scene.ts';

const ATTEMPT = 'policy_download_attempt';
const DOWNLOAD = [ATTEMPT, 'policy_download_started', 'policy_download_completed'] as const;
const LOADED = [...DOWNLOAD, 'policy_download_success', 'policy_applied'] as const;

function document(version: number, sections = {}): string {
  return JSON.stringify({ policy_id: 's3', version, ...sections });
}

describe('a policy in a bucket', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open('load');
    await scene.configure();
  });
  afterAll(() => scene.close());

  verifies(['S3-01', 'EV-01'], 'is loaded at a cold start, step by step', async () => {
    expect(await scene.publish(1)).toMatchObject({ exitCode: 0 });
    await scene.start();
    const [builtIn, attempt, started, completed, success, applied] = await scene.expectEvents(
      'policy_applied',
      ...LOADED,
    );
    expect(builtIn).toMatchObject({ source: 'built-in' });
    expect(attempt).toEqual({ action: ATTEMPT, delay: 300, error: null, startup_state: 'ColdStartup' });
    expect(started).toEqual({ action: DOWNLOAD[1], startup_state: 'ColdStartup' });
    expect(completed).toEqual({ action: DOWNLOAD[2], error: null, startup_state: 'ColdStartup' });
    expect(success).toEqual({
      action: 'policy_download_success',
      delay: 300,
      error: null,
      startup_state: 'ColdStartup',
    });
    const status = await scene.status();
    expect(status).toMatchObject({ state: 'active', policy: { version: 1, source: 'service' } });
    expect(applied).toMatchObject({ digest: status.policy.digest, generation: status.policy.generation });
  });

  verifies(['S3-02', 'EV-01'], 'is not downloaded again: one attempt, and nothing after it', async () => {
    scene.front.seen.length = 0;
    expect(await scene.sync()).toBeUndefined();
    await scene.expectEvents(ATTEMPT);
    expect(scene.front.seen.map(({ conditional, status }) => [conditional, status])).toEqual(
      Array.from({ length: 3 }, () => [true, 304]),
    );
  });

  verifies(['S3-02'], 'is replaced by a newer one, also with another key, with a higher generation', async () => {
    const before = await scene.status();
    expect(await scene.publish(2, { sections: { exec: { enable: true } } })).toMatchObject({ exitCode: 0 });
    expect(await scene.sync()).toBeUndefined();
    await scene.expectEvents(...LOADED);
    expect(await scene.publish(3, { keys: ['other'] })).toMatchObject({ exitCode: 0 });
    expect(await scene.sync()).toBeUndefined();
    await scene.expectEvents(...LOADED);
    const { policy } = await scene.status();
    expect([policy.version, policy.generation]).toEqual([3, before.policy.generation + 2]);
  });

  verifies(['PL-03', 'PL-06'], 'stays in force when what comes next may not replace it', async () => {
    const before = await scene.status();
    const refused: [string, string][] = [
      [document(2), 'POLICY_ROLLBACK'],
      [`${document(3)} `, 'POLICY_ROLLBACK'],
      [document(4, { exec: { enabled: true } }), 'POLICY_INVALID'],
      ['{"policy_id":', 'POLICY_INVALID'],
    ];
    for (const [text, code] of refused) {
      await scene.force(text, 'other');
      expect([text, await scene.sync()]).toEqual([text, code]);
      const events = await scene.expectEvents(...DOWNLOAD, 'policy_rejected');
      expect(events.at(-1)).toMatchObject({ error: { code, message: expect.any(String) as string, retryable: false } });
      expect((await scene.status()).policy).toEqual(before.policy);
    }
    expect(await scene.sync()).toBeUndefined();
    await scene.expectEvents(ATTEMPT);
  });

  verifies(['PL-01', 'PL-06'], 'stays in force when the next one has no valid signature', async () => {
    const before = await scene.status();
    await scene.put('policy.json', document(5));
    expect(await scene.sync()).toBe('POLICY_SIGNATURE_INVALID');
    const events = await scene.expectEvents(...DOWNLOAD, 'policy_rejected');
    expect(events.at(-1)).toMatchObject({ error: { code: 'POLICY_SIGNATURE_INVALID', retryable: false } });
    expect((await scene.status()).policy).toEqual(before.policy);
  });

  verifies(['PL-03'], 'stays in force beyond its expiry, which is reported once', async () => {
    const expires = Date.now() + 4_000;
    const sections = { expires_at: new Date(expires).toISOString() };
    await scene.force(document(6, sections), 'other');
    expect(await scene.sync()).toBeUndefined();
    await scene.expectEvents(...LOADED);
    await until('expired', () => Date.now() > expires);
    await scene.sync();
    await scene.sync();
    const [, stale] = await scene.expectEvents(ATTEMPT, 'policy_stale', ATTEMPT);
    expect(stale).toMatchObject({ reason: 'expired', since: sections.expires_at });
    expect((await scene.status()).policy.version).toBe(6);
  });
});

describe('a policy whose key is pinned', () => {
  let scene: Scene;
  const pins: Record<string, string> = {};
  beforeAll(async () => {
    scene = await Scene.open('pinned');
  });
  afterAll(() => scene.close());

  verifies(['S3-03'], 'is not replaced by one whose key was swapped with it', async () => {
    for (const key of ['key', 'other']) pins[key] = scene.pin(key);
    await scene.publish(1);
    await scene.configure([`public_key_sha256: ${pins['key']}`]);
    await scene.start();
    await scene.expectEvents('policy_applied', ...LOADED);
    expect(await scene.publish(2, { keys: ['other'] })).toMatchObject({ exitCode: 0 });
    expect(await scene.sync()).toBe('POLICY_KEY_PIN_MISMATCH');
    const events = await scene.expectEvents(...DOWNLOAD, 'policy_rejected');
    expect(events.at(-1)).toMatchObject({ error: { code: 'POLICY_KEY_PIN_MISMATCH', retryable: false } });
    expect((await scene.status()).policy.version).toBe(1);
  });

  verifies(
    ['S3-05'],
    'is taken over by a new key: both sign, then the pins change, then the old key goes',
    async () => {
      expect(await scene.publish(3, { keys: ['key', 'other'] })).toMatchObject({ exitCode: 0 });
      expect(await scene.sync()).toBeUndefined();
      await scene.expectEvents(...LOADED);
      expect(await scene.status()).toMatchObject({ policy: { version: 3, key: `sha256:${pins['key']}` } });

      await scene.configure([`public_key_sha256: ${pins['other']}`]);
      await scene.host.ucpd(['stop']);
      await scene.start();
      await scene.expectEvents('policy_applied', ATTEMPT);
      expect(await scene.status()).toMatchObject({
        startup_state: 'WarmStartup',
        policy: { version: 3, key: `sha256:${pins['other']}` },
      });

      expect(await scene.publish(4, { keys: ['other'] })).toMatchObject({ exitCode: 0 });
      expect(await scene.sync()).toBeUndefined();
      await scene.expectEvents(...LOADED);
      expect((await scene.status()).policy.version).toBe(4);
    },
  );
});
