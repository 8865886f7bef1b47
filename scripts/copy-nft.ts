/** Copies this machine's nft with its dynamic loader and libraries to where ucp-net runs it from. */
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { execa } from 'execa';

const PLACES = ['/usr/sbin/nft', '/sbin/nft', '/usr/bin/nft'];
/** Where ucp-net looks (sensors/kernel/net/nft.c). The loader has one name on every machine. */
const PROGRAM = 'usr/sbin/nft';
const LIBRARIES = 'lib';
const LOADER = 'ld.so';

/** Target, below the helper's root, and source of each file. `ldd` says `name => /path (address)` or `/loader (…)`. */
async function files(): Promise<ReadonlyMap<string, string>> {
  const nft = PLACES.find((path) => existsSync(path));
  if (nft === undefined) throw new Error(`no nft at ${PLACES.join(', ')}: scripts/setup-host.sh installs it`);
  const { stdout } = await execa('ldd', [nft], { env: { LC_ALL: 'C' } });
  const targets = new Map([[PROGRAM, nft]]);
  for (const line of stdout.split('\n')) {
    const [, name, path] = /^\s*(?:(\S+) => )?(\/\S+) \(0x[0-9a-f]+\)$/.exec(line) ?? [];
    if (path !== undefined) targets.set(join(LIBRARIES, name === undefined ? LOADER : basename(name)), path);
    else if (line.includes('not found')) throw new Error(`nft lacks a library: ${line.trim()}`);
  }
  if (!targets.has(join(LIBRARIES, LOADER))) throw new Error(`no dynamic loader in what ldd says: ${stdout}`);
  return targets;
}

function isSame(target: string, content: Buffer): boolean {
  return existsSync(target) && readFileSync(target).equals(content);
}

/** True when it copied any. What else lies in the folders it fills goes. */
export async function copyNft(root: string): Promise<boolean> {
  const wanted = await files();
  let copied = false;
  for (const [name, source] of wanted) {
    const target = join(root, name);
    const content = readFileSync(source);
    if (isSame(target, content)) continue;
    mkdirSync(dirname(target), { recursive: true });
    // Not in the root, so that what an interrupted build leaves is never part of the image.
    const made = join(dirname(root), `.${basename(name)}.${process.pid}`);
    writeFileSync(made, content);
    chmodSync(made, 0o755);
    renameSync(made, target);
    copied = true;
  }
  for (const name of globSync(`{${LIBRARIES},${dirname(PROGRAM)}}/*`, { cwd: root })) {
    if (!wanted.has(name)) rmSync(join(root, name), { force: true });
  }
  return copied;
}
