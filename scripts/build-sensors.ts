import { build, type Plugin } from 'esbuild';

/** Node's modules by `require` alone: what esbuild puts around it copies every property of each at every start. */
const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(bundler) {
    bundler.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `export default require(${JSON.stringify(path)});`,
    }));
  },
};

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
    plugins: [plainBuiltins],
    logLevel: 'warning',
  });
}

if (import.meta.main) await buildSensors();
