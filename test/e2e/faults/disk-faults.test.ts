import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { Site, type SiteOptions } from './helpers/site.ts';

/** The state directory is a file system of its own, of four megabytes. */
describe('a state directory that takes nothing more', () => {
  let site: Site;
  let state: string;
  beforeAll(async () => {
    const options: SiteOptions = {
      prepare: async (host) => {
        state = host.path('s');
        mkdirSync(state);
        await execa('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'ucp-e2e-faults', state]);
      },
    };
    site = await Site.open(options);
    site.receiver.decide(() => undefined);
  });
  afterAll(async () => {
    await site.host.sandbox(['rm', '-f', 'ucp-e2e-faults']);
    await site.stop();
    await execa('umount', [state]);
    await site.close();
  });

  /** Puts a read-only view over the directory: what is open for writing keeps the file system itself as it is. */
  async function readOnly(): Promise<void> {
    await execa('mount', ['--bind', state, state]);
    await execa('mount', ['-o', 'remount,bind,ro', state]);
  }

  /** A policy that can't be written anywhere: the old one stays, here and in the sandbox, and violations arrive. */
  async function holds(): Promise<void> {
    const before = await site.agreed();
    await site.publish();
    expect(await site.sync()).toMatchObject({ outcome: 'rejected', policy: { version: before.version } });
    const { version, digest } = await site.agreed();
    expect({ version, digest }).toEqual({ version: before.version, digest: before.digest });
    const id = await site.report();
    const arrived = (): boolean =>
      site.receiver.records().some(({ attributes }) => attributes['log.record.uid'] === id);
    await until('the violation arrives', arrived);
    const ran = await site.host.sandbox(['run', await busybox(), 'echo', 'ran']);
    expect([ran.exitCode, ran.stdout]).toEqual([125, '']);
    expect(ran.stderr).toContain('STATE_UNUSABLE');
  }

  async function recovers(): Promise<void> {
    expect(await site.sync()).toMatchObject({ outcome: 'activated', policy: { version: site.version } });
    expect((await site.agreed()).version).toBe(site.version);
    expect(await site.host.sandbox(['run', await busybox(), 'echo', 'ran'])).toMatchObject({ stdout: 'ran\n' });
  }

  verifies(
    ['PL-06', 'LC-05'],
    'because it is full keeps what is in force, and goes on when there is space',
    async () => {
      await site.agreed();
      const filler = `${state}/filler`;
      expect(() => writeFileSync(filler, Buffer.alloc(8 * 1024 * 1024))).toThrow('ENOSPC');
      await holds();
      rmSync(filler);
      await recovers();
    },
  );

  verifies(['PL-06', 'LC-05'], 'because it is read-only does the same', async () => {
    await readOnly();
    try {
      await holds();
    } finally {
      await execa('umount', ['-l', state]);
    }
    await recovers();
  });

  verifies(['CP-01'], 'is named by a control plane that starts in it', async () => {
    await site.stop();
    await readOnly();
    try {
      const started = await site.host.ucpd(['run']);
      expect([started.exitCode, started.stderr]).toEqual([1, expect.stringContaining('STATE_UNUSABLE')]);
    } finally {
      await execa('umount', ['-l', state]);
    }
    expect((await site.agreed()).version).toBe(site.version);
  });
});

verifies(['CP-01'], 'two control planes that are started at once are one, and it has the policy', async () => {
  const site = await Site.open();
  try {
    const runs = [1, 2, 3].map(() => site.host.ucpd(['run']));
    const first = await Promise.race(runs);
    expect([first.exitCode, first.stderr]).toEqual([1, expect.stringContaining('CONTROLPLANE_RUNNING')]);
    expect((await site.agreed()).version).toBe(site.version);
    await site.stop();
    const ended = await Promise.all(runs);
    expect(ended.map(({ exitCode }) => exitCode).toSorted((a, b) => a - b)).toEqual([0, 1, 1]);
  } finally {
    await site.close();
  }
});
