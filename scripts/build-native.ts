/**
 * Builds dist/native/: the C programs of sensors/kernel, static, for the machine this runs on, and what the privileged
 * ones need beside them. Skips what is up to date by its content. `node scripts/build-native.ts` runs it alone; needs
 * make, musl-gcc, cc, clang, nft and the libraries that scripts/setup-host.sh installs.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { execa } from 'execa';

import { copyNft } from './copy-nft.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist/native');
/** The root directory of the helper image: these programs, nft with its libraries, and nothing else. */
const HELPER = join(OUT, 'helper');
const KERNEL = join(ROOT, 'sensors/kernel');

/** A program (its path in dist/native), the folders of its sources (the first has the Makefile), its size's bound. */
interface Program {
  readonly name: string;
  readonly sources: readonly [string, ...string[]];
  readonly maxBytes: number;
}

const PROGRAMS: readonly Program[] = [
  // Every sandbox's start reads it from disk: it stays small.
  { name: 'ucp-init', sources: ['init'], maxBytes: 64 * 1024 },
  { name: 'helper/ucp-kernel', sources: ['exec', 'common'], maxBytes: 2 * 1024 * 1024 },
  { name: 'helper/ucp-hold', sources: ['hold', 'common'], maxBytes: 2 * 1024 * 1024 },
  { name: 'helper/ucp-net', sources: ['net', 'common'], maxBytes: 2 * 1024 * 1024 },
  { name: 'helper/ucp-trace', sources: ['trace', 'trace/bpf', 'common'], maxBytes: 2 * 1024 * 1024 },
];

/** One hash of the names and contents of all that goes into the program. */
function inputsHash({ sources }: Program): string {
  const hash = createHash('sha256').update(process.arch);
  for (const file of globSync(sources.map((folder) => `${KERNEL}/${folder}/{*.c,*.h,*.mk,Makefile}`)).toSorted()) {
    hash.update(`\0${relative(KERNEL, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function isUpToDate({ name }: Program, stamp: string, hash: string): boolean {
  try {
    readFileSync(join(OUT, name));
    return readFileSync(stamp, 'utf8') === hash;
  } catch {
    return false;
  }
}

async function build(program: Program): Promise<boolean> {
  const { name, sources, maxBytes } = program;
  const file = name.slice(name.lastIndexOf('/') + 1);
  const stamp = join(OUT, `.${file}.inputs`);
  const hash = inputsHash(program);
  if (isUpToDate(program, stamp, hash)) return false;
  mkdirSync(dirname(join(OUT, name)), { recursive: true });
  const work = mkdtempSync(join(OUT, '.build-'));
  try {
    await execa('make', ['--silent', '-C', join(KERNEL, sources[0]), 'all', `OUT=${work}`], { stderr: 'inherit' });
    const { length } = readFileSync(join(work, file));
    if (length >= maxBytes) throw new Error(`${file} has ${length} bytes, expected fewer than ${maxBytes}`);
    renameSync(join(work, file), join(OUT, name));
    writeFileSync(stamp, hash);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return true;
}

/** Builds what is out of date; true when it built any. Builds side by side don't disturb each other. */
export async function buildNative(): Promise<boolean> {
  const built = await Promise.all([...PROGRAMS.map(build), copyNft(HELPER)]);
  return built.includes(true);
}

if (import.meta.main) await buildNative();
