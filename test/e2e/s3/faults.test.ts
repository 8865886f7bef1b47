import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { Fault } from './helpers/front.ts';
import { Scene } from './helpers/scene.ts';

const ATTEMPT = 'policy_download_attempt';
const DOWNLOAD = [ATTEMPT, 'policy_download_started', 'policy_download_completed'] as const;
const LOADED = [...DOWNLOAD, 'policy_download_success', 'policy_applied'] as const;

const HUGE = 100 * 1024 * 1024;
const CHUNK = Buffer.alloc(1024 * 1024);

function s3Error(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
  };
}

/** A byte now and then, for ever. */
function trickle(response: ServerResponse): void {
  response.writeHead(200, { etag: '"slow"', 'content-length': '1000000' });
  const timer = setInterval(() => response.write('x'), 100);
  response.once('close', () => clearInterval(timer));
}

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { etag: '"cut"', 'content-length': '1000' });
  response.write('{"policy_id":', () => response.destroy());
}

describe('a bucket that fails', () => {
  let scene: Scene;
  /** Bytes of the 100 MiB object that were taken before the connection closed. */
  let sent = 0;
  beforeAll(async () => {
    scene = await Scene.open('faults');
    await scene.configure();
    await scene.publish(1);
    await scene.start();
    await scene.expectEvents('policy_applied', ...LOADED);
  });
  afterAll(() => scene.close());

  const huge: Fault = (response) => {
    response.writeHead(200, { etag: '"huge"', 'content-length': String(HUGE) });
    const more = (): void => {
      while (!response.destroyed && sent < HUGE) {
        sent += CHUNK.length;
        if (!response.write(CHUNK)) return void response.once('drain', more);
      }
    };
    more();
  };

  verifies(['PL-12'], 'disturbs nothing, and each way of failing has its code', async () => {
    const before = await scene.status();
    const ways: [string, Fault, string, RegExp][] = [
      ['forbidden', s3Error(403, 'AccessDenied'), 'POLICY_SOURCE_DENIED', /AccessDenied/],
      ['clock', s3Error(403, 'RequestTimeTooSkewed'), 'POLICY_SOURCE_DENIED', /RequestTimeTooSkewed/],
      ['no object', s3Error(404, 'NoSuchKey'), 'POLICY_SOURCE_MISSING', /no object s3:\/\/faults\/policy\.json/],
      [
        'redirect',
        s3Error(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-central-1' }),
        'POLICY_SOURCE_UNREACHABLE',
        /region eu-central-1/,
      ],
      ['slow down', s3Error(503, 'SlowDown'), 'POLICY_SOURCE_UNREACHABLE', /SlowDown/],
      ['silent', () => undefined, 'POLICY_SOURCE_UNREACHABLE', /not read within 6 s/],
      ['slow body', trickle, 'POLICY_SOURCE_UNREACHABLE', /not read within 6 s/],
      ['cut off', cutOff, 'POLICY_SOURCE_UNREACHABLE', /aborted|reset|closed/i],
    ];
    for (const [way, fault, code, message] of ways) {
      scene.front.fault('/policy.json', fault);
      expect([way, await scene.sync()]).toEqual([way, code]);
      const [event] = await scene.expectEvents(ATTEMPT);
      expect(event).toMatchObject({
        error: { code, message: expect.stringMatching(message) as string, retryable: true },
      });
      const { policy, last_check: check } = await scene.status();
      expect(policy).toEqual(before.policy);
      expect(check).toMatchObject({ outcome: 'failed', error: { code } });
    }
    scene.front.fault('/policy.json', undefined);
    expect(await scene.sync()).toBeUndefined();
    await scene.expectEvents(ATTEMPT);
  });

  verifies(['PL-12'], 'with 100 MiB is read only as far as the limit', async () => {
    scene.front.fault('/policy.json', huge);
    expect(await scene.sync()).toBe('POLICY_TOO_LARGE');
    scene.front.fault('/policy.json', undefined);
    const events = await scene.expectEvents(...DOWNLOAD);
    expect(events[2]).toMatchObject({ error: { code: 'POLICY_TOO_LARGE', retryable: false } });
    expect(sent).toBeLessThan(HUGE / 2);
    expect((await scene.status()).policy.version).toBe(1);
  });

  verifies(['PL-12'], 'with credentials it does not know disturbs nothing', async () => {
    await scene.moto.send('POST', '/moto-api/reset-auth', '0');
    expect(await scene.sync()).toBe('POLICY_SOURCE_DENIED');
    await scene.moto.send('POST', '/moto-api/reset-auth', 'inf');
    const [event] = await scene.expectEvents(ATTEMPT);
    expect(event).toMatchObject({ error: { code: 'POLICY_SOURCE_DENIED' } });
    expect((await scene.status()).policy.version).toBe(1);
  });

  verifies(['PL-12', 'S3-01'], 'is told apart by check-config', async () => {
    const check = async (url: string): Promise<string> => (await scene.host.ucpd(['check-config', url])).stderr;
    expect((await scene.host.ucpd(['check-config', scene.config])).exitCode).toBe(0);
    expect(await check('s3://us-east-1@faults/none.yaml')).toContain('POLICY_SOURCE_MISSING');
    expect(await check('s3://us-east-1@no-such-bucket/config.yaml')).toMatch(/POLICY_SOURCE_MISSING.*NoSuchBucket/);
    await scene.put('bad.yaml', 'event_format: OTEL\nucpmc: {}\n');
    expect(await check('s3://us-east-1@faults/bad.yaml')).toMatch(/CONFIG_INVALID.*line 2/);
  });

  verifies(['S3-04', 'PL-12'], 'when it is gone disturbs nothing, and a restart is warm', async () => {
    const before = await scene.status();
    for (const name of ['policy.json', 'policy.json.sig', 'key.pem', 'config.yaml', 'bad.yaml']) {
      await scene.moto.send('DELETE', `/faults/${name}`);
    }
    await scene.moto.send('DELETE', '/faults');
    expect(await scene.sync()).toBe('POLICY_SOURCE_MISSING');
    await scene.expectEvents(ATTEMPT);
    expect((await scene.status()).policy).toEqual(before.policy);

    await scene.host.ucpd(['stop']);
    await scene.start();
    const [applied, attempt] = await scene.expectEvents('policy_applied', ATTEMPT);
    expect(applied).toMatchObject({ source: 'service', generation: before.policy.generation });
    expect(attempt).toMatchObject({
      delay: 300,
      startup_state: 'WarmStartup',
      error: { code: 'POLICY_SOURCE_MISSING' },
    });
    expect(await scene.status()).toMatchObject({ startup_state: 'WarmStartup', policy: before.policy });
  });

  verifies(['PL-04', 'S3-04'], 'does not make an edited copy of the policy count', async () => {
    await scene.host.ucpd(['stop']);
    const copy = scene.host.path('s/policy/active.json');
    const forged = Buffer.from(JSON.stringify({ policy_id: 's3', version: 9 })).toString('base64');
    writeFileSync(copy, readFileSync(copy, 'utf8').replace(/"policy":"[^"]*"/, `"policy":"${forged}"`));
    await scene.start();
    const [applied, attempt] = await scene.expectEvents('policy_applied', ATTEMPT);
    expect(applied).toMatchObject({ source: 'built-in' });
    expect(attempt).toMatchObject({ startup_state: 'ColdStartup', error: { code: 'POLICY_SOURCE_MISSING' } });
    expect(await scene.status()).toMatchObject({ state: 'default', startup_state: 'ColdStartup' });
  });

  verifies(['PL-12'], 'without any credentials is refused by name', async () => {
    await scene.host.ucpd(['stop']);
    const env = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const checked = await scene.host.ucpd(['check-config', scene.config], { env });
    expect(checked.exitCode).not.toBe(0);
    expect(checked.stderr).toMatch(/POLICY_SOURCE_DENIED.*credentials/i);
  });
});
