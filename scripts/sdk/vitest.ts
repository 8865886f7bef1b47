import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';

import { execa } from 'execa';

import { environment, ResultList, type Results, type Way } from '../../test/e2e/js-sensor/helpers/suites.ts';

const REWRITE = resolve(import.meta.dirname, '../../sensors/js/src/load/rewrite.ts');

/** Milliseconds that a test may take which says nothing of it: the machine may be busy. */
const PATIENCE = 120_000;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Folders under `root` whose tests are run by vitest. */
export function vitestFolders(root: string): readonly string[] {
  const manifests = ['package.json', 'packages/*/package.json', 'packages/*/*/package.json', 'test/*/package.json'];
  return globSync(manifests, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .filter((path) => {
      const { scripts } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { scripts?: { test?: string } };
      return scripts?.test?.startsWith('vitest') === true;
    })
    .map((path) => join(path, '..'))
    .toSorted();
}

/**
 * The suite's own configuration and one plugin: vitest runs the text of modules itself, past Node's loader, so the plugin
 * changes it as the sensor's loader changes a program's.
 */
function configuration(folder: string, into: string): string {
  const [own] = globSync('vitest.config.*', { cwd: folder });
  if (own === undefined) throw new Error(`expected a vitest.config in ${folder}`);
  const path = join(into, 'vitest.config.mts');
  writeFileSync(
    path,
    `import own from ${JSON.stringify(join(folder, own))};
import { rewrite } from ${JSON.stringify(REWRITE)};
const hook = { name: 'ucp', transform: (code) => rewrite(code) ?? null };
export default { ...own, plugins: [...(own.plugins ?? []), hook] };
`,
  );
  return path;
}

/** Runs the suite of `folder`, or those of its files that one of `files` names. */
export async function runVitest(folder: string, way: Way, files: readonly string[]): Promise<Results> {
  const { directory } = way.collector;
  const out = join(directory, 'results.json');
  const vitest = join(createRequire(join(folder, 'package.json')).resolve('vitest/package.json'), '../vitest.mjs');
  const config = way.policy === undefined ? [] : ['--config', configuration(folder, directory)];
  const patience = [`--testTimeout=${PATIENCE}`, `--hookTimeout=${PATIENCE}`];
  const flags = ['--root', folder, ...config, ...patience, '--reporter=json', `--outputFile=${out}`];
  const ran = await execa(process.execPath, [vitest, 'run', ...flags, ...files], {
    cwd: folder,
    env: environment(way),
    reject: false,
    all: true,
  });
  if (!existsSync(out)) throw new Error(`no results of ${folder}:\n${ran.all}`);
  return resultsOf(JSON.parse(readFileSync(out, 'utf8')) as Report, folder);
}

/** A file that could not be run counts as one test. */
function resultsOf({ testResults }: Report, folder: string): Results {
  const list = new ResultList();
  for (const { name, status, assertionResults } of testResults) {
    const path = relative(folder, name);
    if (assertionResults.length === 0) list.add(path, status);
    for (const one of assertionResults) list.add(`${path}: ${one.fullName}`, one.status);
  }
  return list.results;
}
