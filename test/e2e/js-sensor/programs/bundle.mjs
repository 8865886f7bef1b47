/** `bundle.mjs BUNDLER ENTRY OUTDIR`: puts a program and its packages into one minified file of OUTDIR; prints its path. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const [bundler, entry, outdir] = process.argv.slice(2);

const bundlers = {
  async webpack() {
    const webpack = require('webpack');
    const filename = 'webpack.cjs';
    const output = { path: outdir, filename, chunkFormat: 'commonjs' };
    const stats = await new Promise((done, failed) => {
      webpack({ mode: 'production', target: 'node', entry, output }, (error, result) =>
        error === null ? done(result) : failed(error),
      );
    });
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'));
    return join(outdir, filename);
  },
  async rollup() {
    const { rollup } = require('@rollup/wasm-node');
    const plugins = ['json', 'node-resolve', 'commonjs'].map((name) => {
      const plugin = require(`@rollup/plugin-${name}`);
      return (plugin.default ?? plugin)(
        name === 'node-resolve' ? { preferBuiltins: true, exportConditions: ['node'] } : {},
      );
    });
    const bundle = await rollup({ input: entry, plugins, external: /^node:/, onwarn: () => {} });
    const file = join(outdir, 'rollup.mjs');
    await bundle.write({ file, format: 'esm', inlineDynamicImports: true });
    return file;
  },
  async ncc() {
    const { code } = await require('@vercel/ncc')(entry, { minify: true, quiet: true });
    const file = join(outdir, 'ncc.mjs');
    writeFileSync(file, code);
    return file;
  },
};

console.log(await bundlers[bundler]());
