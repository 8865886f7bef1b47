import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { build, type BuildOptions } from 'esbuild';
import { describe, expect, test } from 'vitest';

import { NODES, type Dialog } from './helpers/dialogs.ts';
import { nodeBinary, packages, type PackageSet } from './helpers/packages.ts';
import { denyOn } from './helpers/policy.ts';
import { run } from './helpers/run.ts';

const BUNDLES: Readonly<Record<string, BuildOptions>> = {
  'ESM, minified': { format: 'esm', minify: true },
  'CommonJS, minified': { format: 'cjs', minify: true },
  'CommonJS, es2016': { format: 'cjs', target: 'es2016' },
};

const PROGRAMS: readonly (readonly [PackageSet, string, string])[] = [
  ['v1', 'v1.mjs', 'memory'],
  ['v1', 'v1.mjs', 'http-sse'],
  ['v2', 'v2.mjs', 'memory'],
  ['v2', 'v2.mjs', 'handler-json'],
];

/** Bundles a program with its SDK; returns the file. */
async function bundled(set: PackageSet, file: string, name: string): Promise<string> {
  const directory = await packages(set);
  const options = BUNDLES[name] ?? {};
  const extension = options.format === 'esm' ? 'mjs' : 'cjs';
  const outfile = join(directory, 'bundles', `${file}.${name.replaceAll(/\W+/g, '-')}.${extension}`);
  mkdirSync(join(directory, 'bundles'), { recursive: true });
  const source = join(directory, 'programs', file);
  await build({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    outfile,
    logLevel: 'silent',
    ...(options.format === 'esm'
      ? {
          banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
        }
      : {}),
    ...options,
  });
  return outfile;
}

describe.each(NODES)('on Node %i', (major) => {
  describe.each(Object.keys(BUNDLES))('bundled as %s', (name) => {
    test.each(PROGRAMS)('%s %s %s is seen like the plain program', async (set, file, via) => {
      const ran = await run([await bundled(set, file, name), via], {
        node: await nodeBinary(major),
        policy: denyOn('server'),
      });
      expect({ code: ran.exitCode, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
      const seen = JSON.parse(ran.stdout) as Dialog;
      expect(seen).toMatchObject({ tools: ['echo'], danger: { code: -32010 }, again: 'still here' });
    });
  });
});
