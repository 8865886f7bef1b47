/**
 * Builds dist/: the three programs as bundles, and what each build step below adds.
 * Node runs this file as it is (type stripping).
 */
import { globSync, rmSync } from 'node:fs';

import { build } from 'esbuild';

import { buildHelperImage } from './build-helper-image.ts';
import { buildNative } from './build-native.ts';
import { buildPythonSensor } from './build-python-sensor.ts';
import { buildSensors } from './build-sensors.ts';
import { leanDockerode, requiredBuiltins } from './bundle-plugins.ts';

const programs = await build({
  entryPoints: {
    'ucp-sandbox': 'src/cli/sandbox/main.ts',
    ucpd: 'src/cli/ucpd/main.ts',
    'ucp-policy': 'src/cli/policy/main.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.15',
  outExtension: { '.js': '.mjs' },
  sourcemap: true,
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  // Its CommonJS build requires its parts by a name that bundlers don't follow.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
  plugins: [leanDockerode, requiredBuiltins],
  metafile: true,
  logLevel: 'warning',
});
if (programs.errors.length > 0) process.exit(1);
// Chunks are named by their content: those of earlier builds are litter.
const current = new Set(Object.keys(programs.metafile.outputs));
for (const file of globSync('dist/*.mjs{,.map}')) if (!current.has(file)) rmSync(file);
await buildNative();
await buildHelperImage();
await buildSensors();
buildPythonSensor();
