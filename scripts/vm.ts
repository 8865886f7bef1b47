/**
 * `npm run vm`: proves the static helpers on Linux 6.12 (cgroup v2 only) in an emulated machine that needs no rights and
 * no KVM. Takes kernel and emulator as Debian packages into .cache/vm, changes nothing of the host, and ends by itself:
 * exit code 0 after "VM PASS". Needs Debian 12 on x86-64, cc and a static busybox (scripts/setup-host.sh); some minutes.
 */
import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { execa } from 'execa';

import { buildNative } from './build-native.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, '.cache/vm');
/** Where the packages are unpacked, and what becomes the machine's files. */
const PACKAGES = join(CACHE, 'packages');
const FILES = join(CACHE, 'files');
const SUITE = 'bookworm';
/** The emulator of Debian 12 itself dies of this kernel. */
const BACKPORTS = `${SUITE}-backports`;
const WANTED = ['qemu-system-x86', 'linux-image-cloud-amd64'];
const PATIENCE = 20 * 60_000;

const kernel = (): string | undefined => globSync(`${PACKAGES}/boot/vmlinuz-6.12.*`)[0];
const emulator = join(PACKAGES, 'usr/bin/qemu-system-x86_64');

/** Takes packages from the mirror that this host uses, with lists and locks of our own. */
async function fetchPackages(): Promise<void> {
  const format = ['--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages'];
  const { stdout } = await execa('apt-get', ['indextargets', ...format]);
  const mirror = new RegExp(`^${SUITE} (\\S+)$`, 'm').exec(stdout)?.[1];
  if (mirror === undefined) throw new Error(`this is no Debian 12: apt knows no ${SUITE}`);
  for (const dir of ['state/lists/partial', 'archives/partial']) mkdirSync(join(CACHE, dir), { recursive: true });
  const key = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  const sources = [SUITE, BACKPORTS].map((suite) => `deb ${key} ${mirror} ${suite} main\n`);
  writeFileSync(join(CACHE, 'sources.list'), sources.join(''));
  const settings = [
    `Dir::State=${CACHE}/state`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${CACHE}`,
    `Dir::Cache::archives=${CACHE}/archives`,
    `Dir::Etc::sourcelist=${CACHE}/sources.list`,
    'Dir::Etc::sourceparts=-',
    'Debug::NoLocking=1',
  ].flatMap((setting) => ['-o', setting]);
  await execa('apt-get', [...settings, '-qq', 'update'], { stdio: 'inherit' });
  const install = ['install', '-y', '-qq', '--download-only', '--no-install-recommends', '-t', BACKPORTS];
  await execa('apt-get', [...settings, ...install, ...WANTED], { stdio: 'inherit' });
  for (const archive of globSync(`${CACHE}/archives/*.deb`)) await execa('dpkg-deb', ['-x', archive, PACKAGES]);
}

function put(from: string, at: string): void {
  const target = join(FILES, at);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(from, target);
  chmodSync(target, 0o755);
}

/** The machine's files, as the archive that its kernel unpacks. */
async function makeFiles(): Promise<string> {
  rmSync(FILES, { recursive: true, force: true });
  mkdirSync(join(FILES, 'box'), { recursive: true });
  for (const name of ['init', 'witness']) {
    const source = join(import.meta.dirname, 'vm', `${name}.c`);
    await execa('cc', ['-static', '-O1', '-Wall', '-Wextra', '-Werror', '-o', join(FILES, name), source]);
  }
  for (const helper of ['ucp-kernel', 'ucp-trace']) put(join(ROOT, 'dist/native/helper', helper), `helper/${helper}`);
  put((await execa('which', ['busybox'])).stdout, 'bin/busybox');
  symlinkSync('busybox', join(FILES, 'bin/sh'));
  const [overlay] = globSync(`${PACKAGES}/{usr/,}lib/modules/6.12.*/kernel/fs/overlayfs/overlay.ko.xz`);
  if (overlay === undefined) throw new Error('the kernel package has no overlay.ko.xz');
  const module = await execa('xz', ['-dc', overlay], { encoding: 'buffer' });
  writeFileSync(join(FILES, 'overlay.ko'), module.stdout);
  const archive = join(CACHE, 'files.gz');
  await execa('sh', ['-c', `find . | busybox cpio -o -H newc | gzip -1 > '${archive}'`], { cwd: FILES });
  return archive;
}

/** Runs the machine until it switches itself off; what it said. */
async function boot(archive: string): Promise<string> {
  const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((dir) => join(PACKAGES, dir)).join(':');
  const machine = '-accel tcg -cpu max -smp 2 -m 1024 -nodefaults -nographic -no-reboot -serial stdio'.split(' ');
  const firmware = ['qemu', 'seabios'].flatMap((name) => ['-L', join(PACKAGES, 'usr/share', name)]);
  const system = ['-kernel', kernel() ?? '', '-initrd', archive, '-append', 'console=ttyS0 panic=-1 quiet'];
  const ran = await execa(emulator, [...machine, ...firmware, ...system], {
    env: { LD_LIBRARY_PATH: libraries },
    stdin: 'ignore',
    stdout: ['pipe', 'inherit'],
    stderr: 'inherit',
    timeout: PATIENCE,
    reject: false,
  });
  return ran.stdout;
}

if (kernel() === undefined || !existsSync(emulator)) await fetchPackages();
await buildNative();
const said = await boot(await makeFiles());
process.exitCode = said.includes('VM PASS') && !said.includes('VM FAIL') ? 0 : 1;
console.error(process.exitCode === 0 ? 'vm: passed' : 'vm: failed');
