import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { busybox, node } from '../images/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PROFILE = join(ROOT, 'profiles/seccomp/default.json');
const FILTERED = [`--security-opt=seccomp=${PROFILE}`];
/** Every capability that one of the calls asks for, so that nothing but the filter can refuse it. */
const CAPABLE = [
  'SYS_ADMIN',
  'SYS_PTRACE',
  'SYS_MODULE',
  'SYS_BOOT',
  'SYS_PACCT',
  'SYS_TIME',
  'SYSLOG',
  'DAC_READ_SEARCH',
];

const EPERM = 1;
const ENOSYS = 38;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Refused by the filter, and done when there is none. */
const DENIED = [
  ...words(`
  io_uring_setup bpf perf_event_open userfaultfd ptrace_me process_vm_readv_self process_vm_writev_self
  pidfd_getfd_self kcmp setns_own unshare_user unshare_net unshare_mount unshare_time clone_user clone_net
  mount_tmpfs fsopen open_tree mount_setattr chroot_root keyctl add_key syslog fanotify_init
  personality_norandom af_inet_udplite af_inet_raw af_netlink_netfilter af_netlink_generic af_packet af_vsock
  af_unix_with_high_bits tiocsti_plain tiocsti_with_high_bits`),
  ...(arch() === 'x64' ? ['socket32_vsock'] : []),
];
/** Refused by the filter; without it the kernel sees the arguments, which are wrong on purpose, and says so. */
const DENIED_EARLY = words(`
  umount2 move_mount pivot_root request_key open_by_handle_at init_module finit_module kexec_load reboot
  swapon acct quotactl settimeofday sethostname af_alg`);
/** Refused as if the kernel didn't have them, which makes libc take the way that a filter can judge. */
const UNKNOWN = ['clone3_user', ...(arch() === 'x64' ? ['socketcall32_vsock'] : [])];
const ALLOWED = [
  ...words(`
  clone_plain unshare_files personality_asks af_unix af_inet_tcp af_inet_udp af_inet6_tcp af_netlink_route
  memfd_create tiocgwinsz`),
  ...(arch() === 'x64' ? ['socket32_unix'] : []),
];

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ucp-seccomp-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Each call's error number, by name; 0 is success. */
async function tried(flags: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const capable = CAPABLE.flatMap((name) => ['--cap-add', name]);
  const { stdout } = await execa('docker', [
    'run',
    '--rm',
    ...capable,
    ...flags,
    '-v',
    `${dir}/try:/try:ro`,
    await busybox(),
    '/try',
  ]);
  return Object.fromEntries(
    stdout
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', error]) => [name, Number(error)]),
  );
}

const each = (names: readonly string[], error: number): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, error]));
const pick = (from: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number | undefined> =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

describe('the seccomp profile, beside no profile', () => {
  let filtered: Readonly<Record<string, number>>;
  let free: Readonly<Record<string, number>>;
  beforeAll(async () => {
    const source = join(ROOT, 'test/fixtures/syscall/try.c');
    await execa('cc', ['-static', '-O1', '-Wall', '-Wextra', '-Werror', '-o', join(dir, 'try'), source]);
    filtered = await tried(FILTERED);
    free = await tried(['--security-opt=seccomp=unconfined']);
  });

  test('refuses what reaches out of the sandbox or watches others', () => {
    expect(pick(filtered, DENIED)).toEqual(each(DENIED, EPERM));
    expect(pick(free, DENIED)).toEqual(each(DENIED, 0));
  });

  test('refuses what changes the machine before the kernel looks at it', () => {
    expect(pick(filtered, DENIED_EARLY)).toEqual(each(DENIED_EARLY, EPERM));
    expect(Object.values(pick(free, DENIED_EARLY))).not.toContain(EPERM);
  });

  test('hides the calls whose arguments no filter sees', () => {
    expect(pick(filtered, UNKNOWN)).toEqual(each(UNKNOWN, ENOSYS));
    expect(pick(free, UNKNOWN)).toEqual(each(UNKNOWN, 0));
  });

  test('lets the ordinary forms of the same calls through', () => {
    expect(pick(filtered, ALLOWED)).toEqual(each(ALLOWED, 0));
  });

  test('has a verdict here for every call that is tried', () => {
    expect(Object.keys(filtered).toSorted()).toEqual([...DENIED, ...DENIED_EARLY, ...UNKNOWN, ...ALLOWED].toSorted());
  });
});

/** As a sandbox has it: no capability, no new privileges. */
const HARDENED = [
  ...FILTERED,
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--user',
  '1000',
  '--tmpfs',
  '/tmp',
];

async function works(image: string, flags: readonly string[], command: readonly string[]): Promise<string> {
  const { stdout } = await execa('docker', ['run', '--rm', ...HARDENED, ...flags, image, ...command]);
  return stdout;
}

describe('under the seccomp profile', () => {
  test('Node has threads, children, servers, DNS, watchers and just-in-time code', async () => {
    const program = `
      import { Worker } from 'node:worker_threads';
      import { once } from 'node:events';
      import { execFileSync, spawnSync } from 'node:child_process';
      import { createServer } from 'node:http';
      import { lookup } from 'node:dns/promises';
      import { watch, writeFileSync } from 'node:fs';
      import os from 'node:os';
      const [said] = await once(new Worker('import("node:worker_threads").then(({ parentPort }) => parentPort.postMessage("thread"))', { eval: true }), 'message');
      const server = createServer((_, answer) => answer.end('served'));
      for (const where of [{ host: '127.0.0.1', port: 0 }, { path: '/tmp/socket' }]) {
        await once(server.listen(where), 'listening');
        if (where.path === undefined) console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text());
        await new Promise((done) => { server.closeAllConnections(); server.close(done); });
      }
      const watcher = watch('/tmp');
      setImmediate(() => writeFileSync('/tmp/x', ''));
      await once(watcher, 'change');
      watcher.close();
      const wasm = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
      console.log(said, execFileSync('echo', ['child'], { encoding: 'utf8' }).trim(), (await lookup('localhost')).address, 'lo' in os.networkInterfaces(), String(wasm), os.cpus().length > 0);`;
    expect(await works(await node(), [], ['node', '--input-type=module', '-e', program])).toBe(
      'served\nthread child 127.0.0.1 true [object WebAssembly.Module] true',
    );
  });

  test('npm runs scripts', async () => {
    const { stdout: npm } = await execa('which', ['npm']);
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'x', scripts: { greet: 'node -p 1+1' } }));
    const mounts = [
      '-v',
      `${resolve(realpathSync(npm), '../..')}:/npm:ro`,
      '-v',
      `${dir}/package.json:/srv/package.json:ro`,
      '-w',
      '/srv',
      '-e',
      'HOME=/tmp',
    ];
    expect(await works(await node(), mounts, ['node', '/npm/bin/npm-cli.js', 'run', '--silent', 'greet'])).toBe('2');
  });

  test('Python has threads, processes, shared memory, pipes, sockets and an event loop', async () => {
    const program = `
import asyncio, multiprocessing, os, socket, subprocess, tempfile, threading
box = []
thread = threading.Thread(target=box.append, args=('thread',)); thread.start(); thread.join()
with multiprocessing.get_context('fork').Pool(2) as pool: box.append(sum(pool.map(abs, [-1, 2])))
box.append(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout.strip())
a, b = socket.socketpair(); a.send(b'x'); box.append(b.recv(1))
box.append(asyncio.run(asyncio.sleep(0, 'loop')))
with tempfile.TemporaryFile() as file: box.append(os.fstat(file.fileno()).st_size)
print(box)`;
    const libraries = ['/usr', '/lib', '/lib64'].flatMap((path) => ['-v', `${path}:${path}:ro`]);
    expect(await works(await busybox(), libraries, ['/usr/bin/python3', '-c', program])).toBe(
      "['thread', 3, 'child', b'x', 'loop', 0]",
    );
  });

  test('a terminal can be asked and set', async () => {
    const script = 'tty; stty -icanon -echo && echo raw';
    expect(await works(await busybox(), ['-t'], ['sh', '-c', script])).toBe('/dev/pts/0\r\nraw');
  });
});

describe('the profile itself', () => {
  interface Rule {
    readonly names: readonly string[];
    readonly action: string;
    readonly args?: readonly unknown[];
  }
  interface Profile {
    readonly defaultAction: string;
    readonly syscalls: readonly Rule[];
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file, and the engine checks its form
  const profile = JSON.parse(readFileSync(PROFILE, 'utf8')) as Profile;

  test('denies what it does not name', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
  });

  test('names each call once, or each time with other arguments', () => {
    const rules = profile.syscalls.flatMap(({ names, action, args = [] }) =>
      names.map((name) => `${name} ${action} ${JSON.stringify(args)}`),
    );
    expect(rules).toEqual([...new Set(rules)]);
    const bare = profile.syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
    const judged = profile.syscalls.filter(({ args }) => args !== undefined).flatMap(({ names }) => names);
    expect(bare.filter((name) => judged.includes(name))).toEqual([]);
  });
});
