import { createServer, type Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { silentLogger } from '../../core/ports.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import { keyIsPinned } from './key-pin.ts';
import { type ConfigAccess, loadConfig } from './load-config.ts';
import { parseConfig } from './parse-config.ts';

let dir: string;
let server: Server;
let content: string;
let access: ConfigAccess;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cp-config-'));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  content = 'edition: full\n';
  server = createServer((_, response) => response.writeHead(200, { etag: '"1"' }).end(content));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const endpoint = `http://127.0.0.1:${port}`;
  access = { copy: join(dir, 'copy.yaml'), endpoint, clock: new ManualClock(), logger: silentLogger };
});
afterEach(() => {
  close();
  rmSync(dir, { recursive: true, force: true });
});

function close(): void {
  server.closeAllConnections();
  server.close();
}

describe('a configuration in a file', () => {
  test('that nobody named may be absent', async () => {
    const from = join(dir, 'none.yaml');
    await expect(loadConfig(from, false, access)).resolves.toMatchObject({ found: false, config: { edition: 'free' } });
    await expect(loadConfig(from, true, access)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  test('is read from a path or a URL, and must be valid', async () => {
    const from = join(dir, 'c.yaml');
    writeFileSync(from, 'edition: full\n');
    await expect(loadConfig(`file://${from}`, true, access)).resolves.toMatchObject({ config: { edition: 'full' } });
    writeFileSync(from, 'edition: huge\n');
    await expect(loadConfig(from, false, access)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('a configuration in a bucket', () => {
  const URL_IN_BUCKET = 's3://eu-west-1@bucket/config.yaml';

  test('is read, and kept for a start without network', async () => {
    await expect(loadConfig(URL_IN_BUCKET, true, access)).resolves.toMatchObject({ config: { edition: 'full' } });
    expect(readFileSync(join(dir, 'copy.yaml'), 'utf8')).toBe(content);
    close();
    await expect(loadConfig(URL_IN_BUCKET, true, access)).resolves.toMatchObject({ config: { edition: 'full' } });
  });

  test.each(['', 'edition: huge\n'])('that became %j is answered by the last good one', async (broken) => {
    await loadConfig(URL_IN_BUCKET, true, access);
    content = broken;
    await expect(loadConfig(URL_IN_BUCKET, true, access)).resolves.toMatchObject({ config: { edition: 'full' } });
  });

  test('that never was good is an error', async () => {
    content = '';
    await expect(loadConfig(URL_IN_BUCKET, true, access)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    close();
    await expect(loadConfig(URL_IN_BUCKET, true, access)).rejects.toMatchObject({ code: 'POLICY_SOURCE_UNREACHABLE' });
  });
});

/** A configuration with this key. */
function text(key: string, pin = ''): string {
  return `ucpcm: { policy_url: "s3://bucket/", policy: p, policy_sig: s, public_key: "${key}"${pin} }`;
}

function pinned(config: string): boolean {
  return keyIsPinned(parseConfig(config, 'c'));
}

test('a key from a bucket is trusted only by its pin', () => {
  expect([
    pinned(text('s3://bucket/key.pem')),
    pinned(text('s3://bucket/key.pem', `, public_key_sha256: ${'0'.repeat(63)}a`)),
    pinned(text('file:///etc/ucp/key.pem')),
    pinned(''),
  ]).toEqual([false, true, true, true]);
});
