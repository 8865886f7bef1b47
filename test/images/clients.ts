import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { execa } from 'execa';

import { pythonProgram } from '../python.ts';
import { libraries, place } from './linked.ts';
import { nodeRecipe } from './node.ts';
import { make } from './recipe.ts';

/** Of the host, by path, and where they are in the image. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/bin/curl': '/usr/bin/curl',
  '/usr/bin/dig': '/usr/bin/dig',
  // BusyBox's shell takes its own `nc` for that of PATH.
  '/bin/nc.openbsd': '/usr/bin/netcat',
  '/usr/bin/python3': '/usr/bin/python3',
};
const SOURCES = ['go-get.go', 'musl-resolve.c'].map((name) => join(import.meta.dirname, 'clients', name));
const PYTHON_LEFT_OUT = /^(?:test|idlelib|tkinter|lib2to3|ensurepip|unittest|distutils|config-.*|__pycache__)$/;
const ROOT = resolve(import.meta.dirname, '../..');
/** `httpx` and what it needs, as the Python sensor is tested with them. */
const HTTPX = readFileSync(join(ROOT, 'sensors/python/requirements/mcp1.txt'), 'utf8')
  .split('\n')
  .filter((line) => /^(?:anyio|certifi|h11|httpcore|httpx|idna|typing-extensions)==/.test(line));
/** Where tests mount the authority of their certificates. */
const CA = '/ca/ca.pem';

function pythonLibrary(): string {
  const script = 'import sysconfig; print(sysconfig.get_path("stdlib"))';
  return execFileSync('/usr/bin/python3', ['-c', script], { encoding: 'utf8' }).trim();
}

/** Static programs from SOURCES: `go-get URL` with Go's own resolver, `musl-resolve NAME` with musl's. */
async function build(root: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-clients-'));
  const [go = '', c = ''] = SOURCES;
  try {
    await execa('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', join(dir, 'go-get'), go], {
      env: { CGO_ENABLED: '0', GO111MODULE: 'off', GOTOOLCHAIN: 'local' },
    });
    await execa('musl-gcc', ['-static', '-Os', '-o', join(dir, 'musl-resolve'), c]);
    for (const name of ['go-get', 'musl-resolve']) place(root, join(dir, name), `/usr/local/bin/${name}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Installs HTTPX where Debian's Python looks for what its administrator installed. */
async function installHttpx(root: string, library: string): Promise<void> {
  const target = ['--target', join(root, `/usr/local/lib/${basename(library)}/dist-packages`)];
  const how = ['--quiet', '--no-deps', '--only-binary', ':all:', '--python', '/usr/bin/python3'];
  await execa(await pythonProgram('tools', 'uv'), ['pip', 'install', ...how, ...target, ...HTTPX]);
}

/**
 * BusyBox, Node 24 and what programs reach the network with: curl, Python with httpx, Go (`go-get`), `netcat`, `dig`, and musl's
 * resolver (`musl-resolve`). All of them trust the authority in /ca/ca.pem, when that is mounted.
 */
export async function clients(): Promise<string> {
  const base = nodeRecipe();
  const library = pythonLibrary();
  const modules = globSync(
    `${library}/lib-dynload/_{ssl,socket,hashlib,json,struct,random,bisect,queue,uuid,bz2,lzma,typing}.*.so`,
  );
  const programs = Object.keys(PROGRAMS);
  const shared = libraries(...programs, ...modules);
  const files = [
    import.meta.filename,
    ...programs,
    ...modules,
    ...shared,
    ...SOURCES,
    ...globSync(`${library}/*.py`).toSorted(),
  ];
  return make({
    name: 'clients',
    inputs: [...base.inputs, execFileSync('go', ['version']), ...HTTPX, ...files.map((file) => readFileSync(file))],
    changes: [...base.changes, `ENV SSL_CERT_FILE=${CA} CURL_CA_BUNDLE=${CA} NODE_EXTRA_CA_CERTS=${CA}`, 'CMD ["sh"]'],
    fill: async (root) => {
      base.fill(root);
      for (const file of shared) place(root, file, file);
      for (const [file, at] of Object.entries(PROGRAMS)) place(root, file, at);
      cpSync(library, join(root, library), {
        recursive: true,
        filter: (file) => !PYTHON_LEFT_OUT.test(basename(file)),
      });
      await installHttpx(root, library);
      writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
      await build(root);
    },
  });
}
