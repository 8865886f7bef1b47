import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('mounts', () => {
  let host: TestHost;
  let image: string;
  let data: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
    data = host.path('data');
    mkdirSync(data);
    writeFileSync(`${data}/file`, 'original');
  });
  afterAll(() => host[Symbol.asyncDispose]());

  verifies(['FS-01'], 'denies writes to a default mount, also through its aliases', async () => {
    for (const attempt of [
      'echo x > /data/file',
      'echo x > /proc/self/root/data/file',
      'exec 3</data/file; echo x > /proc/self/fd/3',
      'rm /data/file',
      'mount -o remount,rw /data',
      'mount -t tmpfs none /data',
    ]) {
      const ran = await host.sandbox(['run', '-v', `${data}:/data`, image, 'sh', '-c', attempt]);
      expect([attempt, ran.exitCode === 0]).toEqual([attempt, false]);
    }
    expect(readFileSync(`${data}/file`, 'utf8')).toBe('original');
  });

  const wrote = async (...mount: string[]): Promise<boolean> =>
    (await host.sandbox(['run', '-u', '0', ...mount, image, 'sh', '-c', 'touch /data/new'])).exitCode === 0;

  verifies(['FS-06', 'FS-01'], 'writes only where rw is written, in every syntax', async () => {
    expect(await wrote('-v', `${data}:/data:rw`)).toBe(true);
    expect(await wrote('-v', `${data}:/data:ro`)).toBe(false);
    expect(await wrote('-v', `${data}:/data`)).toBe(false);
    expect(await wrote('--mount', `type=bind,source=${data},target=/data`)).toBe(false);
    expect(await wrote('--mount', `type=bind,src=${data},dst=/data,readonly=false`)).toBe(true);
    expect(await wrote('--mount', `type=bind,src=${data},dst=/data,readonly`)).toBe(false);
    expect(await wrote('--tmpfs', '/data')).toBe(true);
  });

  verifies(['FS-06'], 'refuses what it cannot parse', async () => {
    for (const bad of [
      `${data}:/data:rw,z,bogus`,
      `${data}:relative`,
      `${data}:/data:RW`,
      data,
      ':/data',
      `${data}:/.ucp/run`,
      `${data}:/a:/b:/c`,
    ]) {
      const refused = await host.sandbox(['run', '-v', bad, image, 'true']);
      expect([bad, refused.exitCode]).toEqual([bad, 125]);
    }
    expect(
      (await host.sandbox(['run', '--mount', `type=bind,src=${data},dst=/data,propagation=shared`, image, 'true']))
        .exitCode,
    ).toBe(125);
  });

  verifies(['FS-05'], 'refuses dangerous sources by any spelling', async () => {
    mkdirSync(host.path('.ssh'));
    symlinkSync('/etc', host.path('innocent'));
    const sources = [
      '/',
      '/proc',
      '/sys',
      '/dev',
      '/run',
      '/etc',
      '/var/run/docker.sock',
      '/usr/../etc',
      '//etc/',
      '/var/run',
      host.path('.ssh'),
      host.path('innocent'),
      host.path('s'),
    ];
    for (const source of sources) {
      const refused = await host.sandbox(['run', '-v', `${source}:/data`, image, 'true']);
      expect([source, refused.exitCode]).toEqual([source, 125]);
    }
    expect((await host.sandbox(['run', '-v', `${data}:/data`, image, 'cat', '/data/file'])).stdout).toBe('original');
  });

  verifies(
    ['FS-02'],
    'mounts what a link named when it was checked, and nothing else while the link keeps changing',
    async () => {
      const secret = host.path('.aws');
      mkdirSync(secret);
      writeFileSync(`${secret}/file`, 'secret');
      const link = host.path('link');
      symlinkSync(data, link);
      const run = () => host.sandbox(['run', '-v', `${link}:/data`, image, 'cat', '/data/file']);
      expect(await run()).toMatchObject({ exitCode: 0, stdout: 'original' });

      const swapping = new AbortController();
      const swaps = (async () => {
        for (let round = 0; !swapping.signal.aborted; round += 1) {
          symlinkSync(round % 2 === 0 ? secret : data, `${link}.next`);
          renameSync(`${link}.next`, link);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })();
      const outcomes = [];
      for (let round = 0; round < 12; round += 1) outcomes.push(await run());
      swapping.abort();
      await swaps;
      expect(outcomes.filter(({ stdout }) => stdout !== 'original' && stdout !== '')).toEqual([]);
      expect(outcomes.filter(({ exitCode }) => exitCode !== 0 && exitCode !== 125)).toEqual([]);
    },
  );
});
