import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { MountRequest } from '../../core/run-request.ts';
import { assertUnchanged, resolveSources } from './sources.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'fe-mounts-')));
  mkdirSync(join(dir, 'data'));
  symlinkSync('data', join(dir, 'link'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const bind = (source: string): MountRequest => ({ type: 'bind', source, target: '/x', readOnly: true });

describe('FS-02: mount sources', () => {
  test('are what their links lead to', async () => {
    const { mounts } = await resolveSources([bind(join(dir, 'link'))]);
    expect(mounts[0]?.source).toBe(join(dir, 'data'));
  });

  test('that do not exist are refused', async () => {
    await expect(resolveSources([bind(join(dir, 'absent'))])).rejects.toMatchObject({ code: 'MOUNT_SOURCE_MISSING' });
  });

  test('that stay the same pass', async () => {
    const { sources } = await resolveSources([bind(join(dir, 'data'))]);
    await expect(assertUnchanged(sources)).resolves.toBeUndefined();
  });

  test.each([
    ['a link to elsewhere', () => symlinkSync('/etc', join(dir, 'data'))],
    ['a link to itself moved', () => symlinkSync('moved', join(dir, 'data'))],
    ['another directory', () => mkdirSync(join(dir, 'data'))],
    ['nothing', () => undefined],
  ])('that become %s are noticed', async (_, replace) => {
    const { sources } = await resolveSources([bind(join(dir, 'data'))]);
    renameSync(join(dir, 'data'), join(dir, 'moved'));
    replace();
    await expect(assertUnchanged(sources)).rejects.toMatchObject({ code: 'MOUNT_SOURCE_CHANGED' });
  });

  test('of volumes and tmpfs are none', async () => {
    const { sources } = await resolveSources([{ type: 'volume', source: 'v', target: '/v', readOnly: false }]);
    expect(sources).toEqual([]);
  });
});
