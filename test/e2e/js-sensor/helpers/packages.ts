import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { execa } from 'execa';

const HERE = resolve(import.meta.dirname, '..');
const CACHE = resolve(HERE, '../../../.cache/js-sensor');

/** Sets of packages that the tests run against: folders under packages/. */
export type PackageSet =
  | 'v1'
  | 'v1-old'
  | 'v2'
  | 'servers'
  | 'inspector'
  | 'nodes'
  | 'llm'
  | 'conformance'
  | 'bundlers'
  | 'runtimes'
  | 'ai';

/**
 * Installs a set exactly as its lock file says, once per content of manifest and lock, and puts the test programs
 * beside it, so that they resolve its packages. Returns the directory.
 */
export async function packages(set: PackageSet): Promise<string> {
  const source = join(HERE, 'packages', set);
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(source, file)));
  const directory = join(CACHE, `${set}-${hash.digest('hex').slice(0, 12)}`);
  if (!existsSync(directory)) await install(source, directory);
  copyPrograms(join(directory, 'programs'));
  return directory;
}

/** Path of a test program beside the packages of `set`. */
export async function program(set: PackageSet, name: string): Promise<string> {
  return join(await packages(set), 'programs', name);
}

/** A `node` binary of this major version. */
export async function nodeBinary(major: 20 | 22 | 24 | 26): Promise<string> {
  if (major === 24) return process.execPath;
  return join(await packages('nodes'), 'node_modules', `node${major}`, 'bin/node');
}

/** Replaces what differs, each file at once: another test may be running the programs. */
function copyPrograms(to: string): void {
  const from = join(HERE, 'programs');
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, source));
    const bytes = readFileSync(source);
    if (existsSync(target) && readFileSync(target).equals(bytes)) continue;
    mkdirSync(dirname(target), { recursive: true });
    const whole = `${target}.${process.pid}`;
    writeFileSync(whole, bytes);
    renameSync(whole, target);
  }
}

async function install(source: string, directory: string): Promise<void> {
  mkdirSync(dirname(directory), { recursive: true });
  const work = mkdtempSync(`${directory}.`);
  try {
    cpSync(source, work, { recursive: true });
    await execa('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: work,
      preferLocal: true,
      localDir: resolve(HERE, '../../..'),
    });
    renameSync(work, directory);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    if (!existsSync(directory)) throw error; // Another run was faster.
  }
}
