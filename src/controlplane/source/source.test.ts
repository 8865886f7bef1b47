import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import { policySource } from './from-config.ts';
import type { Found, PolicySource } from './source.ts';

let dir: string;
let source: PolicySource;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cp-source-'));
  put('p.json', 'policy');
  put('p.sig', 'signature');
  put('key.pem', 'key');
  const control = {
    policy_url: `file://${dir}/`,
    policy: 'p.json',
    policy_sig: 'p.sig',
    public_key: join(dir, 'key.pem'),
    poll_interval: 300,
    max_policy_bytes: 100,
  };
  source = policySource(control, new ManualClock());
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(name: string, text: string): void {
  writeFileSync(join(dir, name), text);
}

async function newer(etag?: string): Promise<Extract<Found, { newer: true }>> {
  const found = await source.check(etag);
  if (!found.newer) throw new UcpError('INTERNAL', 'nothing newer');
  return found;
}

test('all three files are one package, and unchanged until one of them changes', async () => {
  const first = await newer();
  const { etag } = first;
  const text = Object.fromEntries(Object.entries(await first.fetch()).map(([part, bytes]) => [part, String(bytes)]));
  expect(text).toEqual({ policy: 'policy', signature: 'signature', publicKey: 'key' });
  expect(await source.check(etag)).toEqual({ newer: false });
  for (const name of ['p.json', 'p.sig', 'key.pem']) {
    utimesSync(join(dir, name), 1, 1);
    const changed = await newer(etag);
    expect(changed.etag).not.toBe(etag);
    expect(String((await changed.fetch()).policy)).toBe('policy');
  }
});

test('an etag of another kind of source is simply not what is there', async () => {
  expect((await newer('something else')).etag).not.toBe('');
});

test('a file that is not there fails the check', async () => {
  rmSync(join(dir, 'p.sig'));
  await expect(source.check(undefined)).rejects.toMatchObject({ code: 'POLICY_SOURCE_MISSING' });
});

test('a policy that is too large fails the download', async () => {
  put('p.json', 'x'.repeat(101));
  await expect((await newer()).fetch()).rejects.toMatchObject({ code: 'POLICY_TOO_LARGE' });
  put('p.json', 'x'.repeat(100));
  expect((await (await newer()).fetch()).policy).toHaveLength(100);
});
