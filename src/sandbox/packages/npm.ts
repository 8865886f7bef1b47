import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';
import { isObject } from '../servers/shape.ts';
import type { PackageSpec } from './package-spec.ts';
import { runTool } from './tool.ts';

/** A package's files for an image. */
export interface Installed {
  readonly version: string;
  /** The program in the image that serves. */
  readonly entrypoint: readonly string[];
}

/** The exact version that a spec means today. Throws PACKAGE_FAILED. */
export async function npmVersion({ name, version }: PackageSpec, registry: string | undefined): Promise<string> {
  const wanted = version === undefined ? name : `${name}@${version}`;
  const text = await runTool('npm', ['view', wanted, 'version', '--json', ...from(registry)], '/');
  const answer: unknown = text.trim() === '' ? undefined : JSON.parse(text);
  // A range has several; the last one is the highest.
  const found: unknown = Array.isArray(answer) ? answer.at(-1) : answer;
  if (typeof found === 'string') return found;
  throw new UcpError('PACKAGE_FAILED', `There is no version of ${wanted} in the registry.`);
}

/**
 * Installs a package below `root`, whose content becomes that of the image, at `at`. No script of any package runs, here or
 * there: what must be compiled needs an image of its own.
 */
export async function installNpm(
  { name }: PackageSpec,
  version: string,
  options: { readonly root: string; readonly at: string; readonly registry: string | undefined },
): Promise<Installed> {
  const dir = join(options.root, options.at);
  const flags = [
    '--ignore-scripts',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--install-strategy=hoisted',
    '--no-bin-links',
  ];
  await runTool('npm', ['install', '--prefix', dir, ...flags, ...from(options.registry), `${name}@${version}`], dir);
  const path = posix.join(options.at, 'node_modules', name);
  const manifest: unknown = JSON.parse(readFileSync(join(options.root, path, 'package.json'), 'utf8'));
  return { version, entrypoint: ['node', posix.join(path, programOf(name, field(manifest, 'bin')))] };
}

/** The program that npx would run: the only one, or the one named like the package. */
export function programOf(name: string, bin: unknown): string {
  if (typeof bin === 'string') return bin;
  const programs = isObject(bin) ? Object.entries(bin) : [];
  const [, only] = programs.length === 1 ? (programs[0] ?? []) : [];
  const named = programs.find(([program]) => program === name.replace(/^@[^/]*\//, ''))?.[1];
  const program = only ?? named;
  if (typeof program === 'string') return program;
  const there = programs.length === 0 ? 'no program' : `the programs ${programs.map(([key]) => key).join(', ')}`;
  throw new UcpError('PACKAGE_FAILED', `The package ${name} has ${there}: expected one, or one named like it.`);
}

function from(registry: string | undefined): readonly string[] {
  return registry === undefined ? [] : [`--registry=${registry}`];
}
