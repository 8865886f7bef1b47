import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import type { Installed } from './npm.ts';
import type { PackageSpec } from './package-spec.ts';
import { runTool } from './tool.ts';

/** Wheels that fit any Linux with glibc of the last years. */
const PLATFORMS: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** The program of a package: what it calls, as `module:function`. */
interface EntryPoint {
  readonly version: string;
  readonly module: string;
  readonly call: string;
}

/**
 * Installs a package for a Python of this version (`3.12`) below `root`, whose content becomes that of the image, at `at`.
 * Wheels only: nothing is built, so nothing of any package runs.
 */
export async function installPython(
  { name, version }: PackageSpec,
  python: string,
  options: { readonly root: string; readonly at: string; readonly registry: string | undefined },
): Promise<Installed> {
  const dir = join(options.root, options.at);
  const machine = PLATFORMS[process.arch] ?? process.arch;
  const platforms = [`manylinux2014_${machine}`, `manylinux_2_28_${machine}`, `linux_${machine}`];
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-cache-dir',
    '--no-compile',
    '--only-binary=:all:',
    '--implementation=cp',
    `--python-version=${python}`,
    ...platforms.map((platform) => `--platform=${platform}`),
    ...(options.registry === undefined ? [] : [`--index-url=${options.registry}`]),
    `--target=${join(dir, 'site')}`,
    version === undefined ? name : `${name}==${version}`,
  ];
  await runTool('python3', args, dir);
  const { version: found, module, call } = entryPoint(join(dir, 'site'), name);
  const launcher = [
    'import site, sys',
    `site.addsitedir(${JSON.stringify(`${options.at}/site`)})`,
    `sys.path.insert(0, ${JSON.stringify(`${options.at}/site`)})`,
    `sys.argv[0] = ${JSON.stringify(name)}`,
    `from ${module} import ${call.split('.')[0] ?? call}`,
    `sys.exit(${call}())`,
  ];
  writeFileSync(join(dir, 'main.py'), `${launcher.join('\n')}\n`, { mode: 0o644 });
  return { version: found, entrypoint: ['python3', `${options.at}/main.py`] };
}

/** A name as Python's registries compare it. */
function normal(text: string): string {
  return text.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** The console script that uvx would run: the one named like the package. Throws PACKAGE_FAILED. */
function entryPoint(site: string, name: string): EntryPoint {
  const info = readdirSync(site).find(
    (entry) => entry.endsWith('.dist-info') && normal(entry).startsWith(`${normal(name)}-`),
  );
  const scripts = info === undefined ? [] : consoleScripts(join(site, info, 'entry_points.txt'));
  const found =
    scripts.find(([script]) => normal(script) === normal(name)) ?? (scripts.length === 1 ? scripts[0] : undefined);
  const [, module, call] = /^([\w.]+):([\w.]+)/.exec(found?.[1] ?? '') ?? [];
  if (module !== undefined && call !== undefined) {
    const [version = ''] = (info ?? '').slice(name.length + 1).split('.dist-info');
    return { version, module, call };
  }
  throw new UcpError('PACKAGE_FAILED', `The package ${name} has no program that is named like it.`);
}

function consoleScripts(file: string): readonly (readonly [string, string])[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const section = /^\[console_scripts\]\s*\n([^[]*)/m.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^\s*([\w.-]+)\s*=\s*(\S+)/gm)].map(([, script = '', target = '']) => [script, target]);
}
