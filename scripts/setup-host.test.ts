import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, 'setup-host.sh');
/** What the script itself is written with. */
const SHELL = ['bash', 'env', 'id', 'ldd', 'setsid', 'sh', 'sleep', 'tail'];
const TOOLS = [
  'make',
  'musl-gcc',
  'cc',
  'clang',
  'pcre2-config',
  'openssl',
  'age',
  'python3',
  'fish',
  'zsh',
  'pip3',
  'debootstrap',
  'curl',
  'dig',
  'nc.openbsd',
  'go',
  'ip',
  'nsenter',
  'dockerd',
];

describe('setup-host.sh', () => {
  let bin: string;

  beforeEach(() => {
    bin = mkdtempSync(join(tmpdir(), 'ucp-setup-'));
    for (const tool of SHELL) {
      symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(bin, tool));
    }
  });
  afterEach(() => rmSync(bin, { recursive: true, force: true }));

  /** Puts a program in the way of PATH that logs its call and then runs this shell text. */
  function fake(name: string, text = ''): void {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> '${join(bin, 'calls')}'\n${text}\n`, {
      mode: 0o755,
    });
  }

  /** A machine that has everything; `docker` answers. */
  function complete(): void {
    for (const tool of ['docker', 'busybox', ...TOOLS]) fake(tool);
  }

  const calls = (): string => (existsSync(join(bin, 'calls')) ? readFileSync(join(bin, 'calls'), 'utf8') : '');
  const run = async (
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ code: unknown; err: string }> => {
    const ran = await execa(join(bin, 'bash'), [SCRIPT, ...args], {
      env: { PATH: bin, ...env },
      extendEnv: false,
      reject: false,
    });
    return { code: ran.exitCode, err: ran.stderr };
  };

  test('--check lists what is missing and changes nothing', async () => {
    for (const name of ['apt-get', 'sudo', 'dockerd']) fake(name);
    const { code, err } = await run(['--check']);
    expect(code).toBe(1);
    for (const what of [
      'make',
      'musl-gcc',
      'cc',
      'pcre2-config',
      'openssl',
      'python3',
      'pip3',
      'debootstrap',
      'a static busybox',
      'a Docker engine',
    ]) {
      expect(err).toContain(`missing: ${what}`);
    }
    expect(calls()).toBe('');
  });

  test('--check is content and silent when all is there', async () => {
    complete();
    expect(await run(['--check'])).toEqual({ code: 0, err: '' });
    expect(await run([])).toEqual({ code: 0, err: '' });
    expect(calls()).toBe('docker version\ndocker version\n');
  });

  test('a busybox that needs libraries is not enough', async () => {
    complete();
    rmSync(join(bin, 'busybox'));
    symlinkSync('/bin/bash', join(bin, 'busybox'));
    expect(await run(['--check'])).toEqual({ code: 1, err: expect.stringContaining('missing: a static busybox') });
  });

  test('says what to install where there is no apt', async () => {
    complete();
    rmSync(join(bin, 'musl-gcc'));
    const { code, err } = await run([]);
    expect([code, err]).toEqual([
      1,
      'setup-host: this is neither Debian nor Ubuntu; install what they call: musl-tools',
    ]);
  });

  test('says what root has to run where it may not', async () => {
    complete();
    rmSync(join(bin, 'make'));
    rmSync(join(bin, 'id'));
    fake('id', 'echo 1000');
    fake('apt-get');
    const { code, err } = await run([]);
    expect([code, err]).toEqual([
      1,
      'setup-host: not root and no sudo; let root run: apt-get update && apt-get install -y make',
    ]);
    expect(calls()).not.toContain('apt-get');
  });

  test('installs only what is missing, and says so', async () => {
    complete();
    rmSync(join(bin, 'make'));
    rmSync(join(bin, 'id'));
    fake('id', 'echo 0');
    fake('apt-get', `[ "$1" = update ] || { printf '#!/bin/sh\\n' > '${bin}/make'; /bin/chmod +x '${bin}/make'; }`);
    expect(await run([])).toEqual({ code: 0, err: 'setup-host: installing make' });
    expect(calls()).toMatch(/apt-get install -y .* make\n/);
  });

  test('leaves an engine elsewhere to its owner', async () => {
    complete();
    fake('docker', 'exit 1');
    const { code, err } = await run([], { DOCKER_HOST: 'tcp://192.0.2.1:2375' });
    expect(code).toBe(1);
    expect(err).toContain('the engine at DOCKER_HOST=tcp://192.0.2.1:2375 does not answer');
    expect(calls()).not.toContain('dockerd');
  });

  test('takes no other argument', async () => {
    expect(await run(['--force'])).toEqual({ code: 1, err: 'setup-host: expected nothing or --check, got --force' });
  });
});
