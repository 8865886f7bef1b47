/** Makes dist/native/helper.tar, the image of the privileged helpers, from dist/native/helper/: the same bytes each time. */
import { renameSync } from 'node:fs';
import { resolve } from 'node:path';

import { execa } from 'execa';

const ROOT = resolve(import.meta.dirname, '../dist/native/helper');

/** Builds it anew; needs what `buildNative` builds. */
export async function buildHelperImage(): Promise<void> {
  const aside = `${ROOT}.${process.pid}.tar`;
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u=rwX,go=rX'];
  await execa('tar', ['-C', ROOT, ...same, '-cf', aside, '.']);
  renameSync(aside, `${ROOT}.tar`);
}

if (import.meta.main) await buildHelperImage();
