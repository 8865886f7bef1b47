import { build } from 'esbuild';

/** Bundles the JavaScript sensor into one file without dependencies: dist/sensors/js/preload.cjs. */
export async function buildSensors(): Promise<void> {
  await build({
    entryPoints: { preload: 'sensors/js/src/preload.ts' },
    outdir: 'dist/sensors/js',
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.cjs' },
    legalComments: 'none',
    logLevel: 'warning',
  });
}

if (import.meta.main) await buildSensors();
