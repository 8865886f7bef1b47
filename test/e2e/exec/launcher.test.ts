import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { buildHelperImage } from '../../../scripts/build-helper-image.ts';
import { buildNative } from '../../../scripts/build-native.ts';
import { silentLogger } from '../../../src/core/ports.ts';
import { systemClock } from '../../../src/controlplane/index.ts';
import { Helper } from '../../../src/controlplane/helper/helper.ts';
import { createEngine } from '../../../src/engine/docker-engine.ts';
import { docker } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { Containers } from '../kernel/containers.ts';
import { policy, sources } from '../kernel/helper.ts';
import { witnesses } from '../kernel/image.ts';

const NATIVE = resolve(import.meta.dirname, '../../../dist/native');
const CAPABILITIES = ['SYS_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'];

describe.each(['child', 'container'] as const)('the helper as a %s of the control plane', (mode) => {
  beforeAll(async () => {
    await buildNative();
    await buildHelperImage();
  });

  const helperOf = (stateDir: string): Helper =>
    new Helper(
      { program: 'ucp-kernel', capabilities: CAPABILITIES },
      {
        engine: createEngine(process.env, stateDir),
        clock: systemClock,
        logger: silentLogger,
        owner: stateDir,
        stateDir,
        helpers: join(NATIVE, 'helper'),
        helperImage: join(NATIVE, 'helper.tar'),
        mode: () => mode,
      },
    );

  verifies(['EX-23'], 'enforces, outlives its control plane, and leaves nothing', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'ucp-launch-'));
    await using containers = new Containers(await witnesses());
    const box = await containers.start();
    const first = helperOf(stateDir);
    const second = helperOf(stateDir);
    try {
      const link = await first.link();
      const deny = sources('/opt/denied/*');
      await link.request('attach', { sandbox: 'box', pid: box.pid, ...policy({ deny }) });
      expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
      expect(await box.sh('/opt/denied/exec')).toMatchObject({ ran: false });
      await first.leave();
      expect(await box.sh('/opt/denied/exec')).toMatchObject({ ran: false });
      await (await second.link()).request('detach', { sandbox: 'box' });
      expect(await box.sh('/opt/denied/exec')).toMatchObject({ ran: true });
    } finally {
      await first.leave();
      await second.stop();
      rmSync(stateDir, { recursive: true, force: true });
    }
    expect((await docker('ps', '-aq', '--filter', `label=ucp.owner=${stateDir}`)).stdout).toBe('');
  });
});

test('the image of the helpers is the same however often it is built', async () => {
  await buildNative();
  await buildHelperImage();
  const before = readFileSync(join(NATIVE, 'helper.tar'));
  await buildHelperImage();
  expect(readFileSync(join(NATIVE, 'helper.tar')).equals(before)).toBe(true);
});
