import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

/** Codes that need whole programs to be provoked; `scripts/errors.test.ts` checks that each code has a test somewhere. */
describe('errors', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['RUN-17'], 'SANDBOX_RUNNING: a running sandbox is removed only with --force', async () => {
    await host.sandbox(['run', '-d', '--name', 'ucp-e2e-busy', image, 'sleep', '60']);
    const refused = await host.sandbox(['rm', 'ucp-e2e-busy']);
    expect(refused.stderr).toMatch(/SANDBOX_RUNNING.*--force/);
    expect((await host.sandbox(['rm', '-f', 'ucp-e2e-busy'])).exitCode).toBe(0);
  });

  verifies(['RUN-17'], 'POLICY_KEY_MISSING: a policy without its key is not looked at', async () => {
    writeFileSync(host.path('policy.json'), '{}');
    const refused = await host.sandbox(['run', '--policy', host.path('policy.json'), image, 'true']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      125,
      expect.stringMatching(/POLICY_KEY_MISSING.*--policy-key/),
    ]);
  });

  verifies(['CP-01'], 'CONTROLPLANE_RUNNING: a second one for the same state directory does not start', async () => {
    await host.sandbox(['run', image, 'true']);
    const second = await host.ucpd(['run']);
    expect([second.exitCode, second.stderr]).toEqual([1, expect.stringMatching(/CONTROLPLANE_RUNNING.*ucpd status/)]);
  });

  verifies(['CP-06'], 'POLICY_NOT_LOADED: `ucpd sync` fails when what it found was not loaded', async () => {
    const configured = new TestHost({
      config: [
        'ucpcm:',
        '  policy_url: file:///nonexistent/',
        '  policy: policy.json',
        '  policy_sig: policy.json.sig',
        '  public_key: file:///nonexistent/key.pub',
      ].join('\n'),
    });
    try {
      expect((await configured.sandbox(['run', image, 'true'])).exitCode).toBe(0);
      const synced = await configured.ucpd(['sync']);
      expect([synced.exitCode, synced.stderr]).toEqual([1, expect.stringContaining('POLICY_NOT_LOADED')]);
    } finally {
      await configured[Symbol.asyncDispose]();
    }
  });

  verifies(['RUN-17'], 'CONTROLPLANE_DENIED: a socket that this user may not use is named', async () => {
    const dir = host.path('closed');
    mkdirSync(dir);
    chmodSync(dir, 0o755);
    chmodSync(host.dir, 0o755);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${dir}/ucpd.sock`, () => resolve()));
    chmodSync(`${dir}/ucpd.sock`, 0o600);
    try {
      const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--reset-env'];
      const env = ['env', `HOME=${host.dir}`, `UCP_SOCKET=${dir}/ucpd.sock`];
      const ran = await execa('setpriv', [...nobody, ...env, process.execPath, 'bin/ucp-sandbox.js', 'ps'], {
        reject: false,
      });
      expect(ran.stderr).toMatch(/CONTROLPLANE_DENIED.*ucpd\.sock/);
    } finally {
      server.close();
    }
  });
});
