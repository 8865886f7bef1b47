import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox, node } from '../../images/index.ts';
import { docker, until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { Registry } from './helpers/registry.ts';

interface Found {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly removed: boolean;
}

const mounts = (dir: string): readonly string[] => ['-v', `${dir}:/.ucp/run:ro`];
const labels = (owner: string): readonly string[] => ['--label', 'ucp.sandbox=gone', '--label', `ucp.owner=${owner}`];
const there = async (image: string | undefined): Promise<boolean> =>
  (await docker('image', 'inspect', image ?? '')).exitCode === 0;

const name = (of: string): string => `ucp-e2e-prune-${process.pid}-${of}`;
const namesOf = (found: readonly Found[], kind: string): readonly string[] =>
  found.filter((one) => one.kind === kind).map((one) => one.name);
const exists = async (container: string): Promise<boolean> => (await docker('inspect', container)).exitCode === 0;

describe('prune', () => {
  let host: TestHost;
  let image: string;
  let tag: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
    tag = `ucp-test/prune-${process.pid}:latest`;
  });
  afterAll(async () => {
    await docker('rm', '-f', name('orphan'), name('stranger'), name('by-hand'));
    await docker('rmi', tag);
    await host[Symbol.asyncDispose]();
  });

  const pruned = async (...flags: readonly string[]): Promise<readonly Found[]> =>
    JSON.parse((await host.sandbox(['prune', '--json', ...flags])).stdout) as readonly Found[];

  verifies(['WR-09'], 'finds ended sandboxes and removes them, none that runs, none without consent', async () => {
    await host.sandbox(['run', '-d', '--name', name('over'), image, 'sh', '-c', 'exit 3']);
    await host.sandbox(['run', '-d', '--name', name('runs'), image, 'sleep', '600']);
    await until('ended', async () => namesOf(await pruned('--dry-run'), 'sandbox').includes(name('over')));
    const asked = await host.sandbox(['prune']);
    expect(asked).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^sandbox .*-over .*exit code 3/m) });
    expect(asked.stdout).toContain('Nothing was removed; --force removes it.');
    expect(asked.stdout).not.toContain(name('runs'));
    expect(await exists(name('over'))).toBe(true);
    expect(await host.sandbox(['prune', '--force'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Removed 1 of 1.'),
    });
    expect([await exists(name('over')), await exists(name('runs'))]).toEqual([false, true]);
    expect(await host.sandbox(['prune', '--force'])).toMatchObject({ exitCode: 0, stderr: 'Nothing is left over.\n' });
    await host.sandbox(['rm', '-f', name('runs')]);
  });

  verifies(['WR-09'], 'finds what a state directory that was deleted has left, nothing of other owners', async () => {
    const past = host.path('s/sandboxes/gone');
    mkdirSync(host.path('elsewhere'), { recursive: true });
    mkdirSync(past, { recursive: true });
    await execa('docker', ['create', '--name', name('orphan'), ...labels('past'), ...mounts(past), image, 'true']);
    await execa('docker', ['create', '--name', name('stranger'), ...labels('past'), ...mounts(host.path('elsewhere')), image, 'true']); // prettier-ignore
    // The control plane that starts now has another id than the container's.
    const found = await pruned('--force');
    expect(namesOf(found, 'container')).toEqual([name('orphan')]);
    expect(found.every(({ removed }) => removed)).toBe(true);
    expect([await exists(name('orphan')), await exists(name('stranger'))]).toEqual([false, true]);
    await docker('rm', '-f', name('stranger'));
  });

  verifies(['WR-09'], 'finds images of packages and definitions that nothing uses', async () => {
    const registry = await Registry.start();
    using _ = registry;
    const flags = ['--no-check', '--base', await node(), `--registry=${registry.url}`];
    await host.sandbox(['mcp', 'add', 'kept', ...flags, 'npx:@mini/server']);
    await registry.publish('1.1.0');
    const other = new TestHost();
    await using __ = other;
    await other.sandbox(['mcp', 'add', 'theirs', ...flags, 'npx:@mini/server@1.0.0']);
    await host.sandbox(['mcp', 'add', 'dropped', ...flags, 'npx:@mini/server@1.1.0']);
    const shown = JSON.parse((await host.sandbox(['mcp', 'show', 'kept', 'dropped', '--json'])).stdout) as {
      image: string;
    }[];
    const [kept = '', dropped = ''] = shown.map((one) => one.image);
    const [theirs] = JSON.parse((await other.sandbox(['mcp', 'show', 'theirs', '--json'])).stdout) as {
      image: string;
    }[];
    await host.sandbox(['mcp', 'rm', 'dropped']);
    // Made by hand from what is left: it is in use.
    await execa('docker', ['create', '--name', name('by-hand'), dropped]);
    expect(namesOf(await pruned('--dry-run'), 'image')).toEqual([]);
    await docker('rm', name('by-hand'));
    await docker('tag', image, tag);
    await execa('docker', ['build', '-q', '-t', tag, '-'], { input: `FROM ${image}\nLABEL of=${process.pid}\n` });
    await host.sandbox(['mcp', 'add', '--no-check', 'lost', tag]);
    await docker('rmi', tag);
    expect(namesOf(await pruned('--dry-run'), 'definition')).toEqual(['lost']);
    const found = await pruned('--force');
    expect([namesOf(found, 'image'), namesOf(found, 'definition')]).toEqual([[dropped], ['lost']]);
    expect([await there(kept), await there(dropped), await there(theirs?.image)]).toEqual([true, false, true]);
    expect((await host.sandbox(['mcp', 'ls'])).stdout).not.toContain('lost');
    await docker('rmi', kept, theirs?.image ?? '');
  });

  verifies(['WR-09'], 'finds directories of what was interrupted, none in which somebody works', async () => {
    const [old, young] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'ucp-package-')));
    const hours = Date.now() / 1000 - 7200;
    utimesSync(old ?? '', hours, hours);
    const lost = host.path('s/sandboxes/0123456789ab');
    try {
      await pruned('--dry-run');
      mkdirSync(lost);
      const found = await pruned('--force');
      expect(namesOf(found, 'directory')).toEqual(expect.arrayContaining([lost, old]));
      expect([old, lost, young].map((path) => existsSync(path ?? ''))).toEqual([false, false, true]);
    } finally {
      for (const path of [old, young]) rmSync(path ?? '', { recursive: true, force: true });
    }
  });
});
