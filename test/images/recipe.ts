import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';

/** A way to make an image; `inputs` is all that its content depends on, so that its hash can be the tag. */
export interface Recipe {
  readonly name: string;
  readonly inputs: readonly (string | Buffer)[];
  /** Dockerfile instructions without files: ENTRYPOINT, CMD, ENV, USER, WORKDIR, LABEL, HEALTHCHECK, STOPSIGNAL … */
  readonly changes: readonly string[];
  /** Fills an empty directory with the image's file system. */
  readonly fill: (root: string) => Promise<void> | void;
}

/** Raised when what this folder does with the recipes changes. */
const FORMAT = '1';

/** The instruction that `docker import --change` doesn't know, though images have it. */
const IMPORT_REFUSES = /^STOPSIGNAL /;

/** `ucp-test/<name>:<hash>`. */
function tagOf({ name, inputs, changes }: Recipe): string {
  const hash = createHash('sha256').update(FORMAT);
  for (const input of [...changes, ...inputs]) hash.update(createHash('sha256').update(input).digest());
  return `ucp-test/${name}:${hash.digest('hex').slice(0, 16)}`;
}

/** Makes the image unless the engine has it, and returns its tag. Needs no root and no registry. */
export async function make(recipe: Recipe): Promise<string> {
  const tag = tagOf(recipe);
  const { exitCode } = await execa('docker', ['image', 'inspect', tag], { reject: false, stdout: 'ignore' });
  if (exitCode === 0) return tag;
  const root = mkdtempSync(join(tmpdir(), 'ucp-image-'));
  try {
    await recipe.fill(root);
    const [built, imported] = [true, false].map((wanted) =>
      recipe.changes.filter((change) => IMPORT_REFUSES.test(change) === wanted),
    );
    const changes = (imported ?? []).flatMap((change) => ['--change', change]);
    await execa(
      'tar',
      ['-C', root, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '-c', '.'],
      {
        buffer: false,
      },
    ).pipe('docker', ['import', ...changes, '-', tag]);
    if (built !== undefined && built.length > 0) {
      await execa('docker', ['build', '--quiet', '--tag', tag, '-'], { input: [`FROM ${tag}`, ...built].join('\n') });
    }
    return tag;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
