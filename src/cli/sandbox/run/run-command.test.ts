import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { parseFlags } from './parse-flags.ts';
import { runCommand, type RunCommand } from './run-command.ts';

const dir = mkdtempSync(join(tmpdir(), 'fe-flags-'));
afterAll(() => rmSync(dir, { recursive: true }));

const run = (...args: string[]): RunCommand => runCommand(parseFlags(args), { HOSTVAR: 'from-host' });
const usage = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) });

describe('the grammar of run', () => {
  test('flags end at the image, and what follows stays as it is', () => {
    const { request } = run('-i', 'img', '-e', 'a b', '', '--name', '--', '--bogus', '-it=x');
    expect(request).toMatchObject({ image: 'img', interactive: true, env: {} });
    expect(request.command).toEqual(['-e', 'a b', '', '--name', '--', '--bogus', '-it=x']);
  });

  test('-- may stand before the image', () => {
    expect(run('-i', '--', 'img', '--', 'x').request).toMatchObject({ image: 'img', command: ['--', 'x'] });
  });

  test.each([
    [['--name=web', '--env=A=1=2']],
    [['--name', 'web', '--env', 'A=1=2']],
    [['--name', 'web', '-e', 'A=1=2']],
    [['--name', 'web', '-eA=1=2']],
  ])('%j means the same', (flags) => {
    expect(run(...flags, 'img').request).toMatchObject({ name: 'web', env: { A: '1=2' } });
  });

  test('switches may be grouped and take true and false', () => {
    expect(run('-dit', 'img').request).toMatchObject({ mode: 'detached', interactive: true, tty: true });
    expect(run('-d', '--rm=false', 'img').request.remove).toBe(false);
    expect(() => run('--rm=maybe', 'img')).toThrow(usage(/--rm.*maybe/));
  });

  test('a value may look like a flag', () => {
    expect(run('--entrypoint', '-x', 'img').request.entrypoint).toBe('-x');
  });

  test.each([
    [['--bogus', 'img'], /--bogus/],
    [['-Z', 'img'], /-Z/],
    [['-i'], /image/i],
    [[], /image/i],
    [['--name'], /--name needs a value/],
    [['--privileged', 'img'], /--privileged.*capabilities/],
    [['--cap-add=SYS_ADMIN', 'img'], /--cap-add/],
    [['--pid=host', 'img'], /--isolation/],
    [['--network=host', 'img'], /--isolation/],
    [['--network', 'container:x', 'img'], /network/],
    [['-m', 'lots', 'img'], /memory.*lots/],
    [['--cpus', '0', 'img'], /cpus/],
    [['--pids-limit=-1', 'img'], /pids-limit/],
    [['--pull=sometimes', 'img'], /pull/],
    [['--name', '../x', 'img'], /name/],
    [['-w', 'rel', 'img'], /workdir/],
    [['--restart=always', 'img'], /--detach/],
    [['-d', '--rm', '--restart=always', 'img'], /--rm/],
    [['--restart', 'on-failure:x', '-d', 'img'], /restart/],
    [['--label', 'ucp.sandbox=x', 'img'], /ucp\./],
    [['--isolation', 'pid,mnt', 'img'], /isolation/],
    [['--mcp', 'http', 'img'], /stdio/],
    [['--mcp', 'stdio', '-t', 'img'], /--tty/],
    [['--mcp', 'http:80', '-d', 'img'], /systemd-run/],
    [['-e', '=x', 'img'], /env/],
  ])('%j is refused', (args, message) => {
    expect(() => run(...args)).toThrow(usage(message));
  });
});

describe('defaults', () => {
  test('a foreground sandbox is removed, a detached one stays', () => {
    expect(run('img').request).toMatchObject({ mode: 'attached', remove: true, interactive: false, tty: false });
    expect(run('-d', 'img').request).toMatchObject({ mode: 'detached', remove: false });
    expect(run('-d', '--rm', 'img').request.remove).toBe(true);
    expect(run('img').pull).toBe('missing');
  });

  test('--mcp stdio forwards stdin', () => {
    expect(run('--mcp=stdio', 'img').request).toMatchObject({ mcp: 'stdio', interactive: true });
  });
});

describe('environment', () => {
  test('comes from flags, files and, by name, the host; nothing else', () => {
    writeFileSync(join(dir, 'env'), '# note\n\n  A=1 2 \nHOSTVAR\nABSENT\nB="q"\n');
    const { env } = run('--env-file', join(dir, 'env'), '-e', 'C', '-e', 'A=9', 'img').request;
    expect(env).toEqual({ A: '9', HOSTVAR: 'from-host', B: '"q"' });
  });

  test('names a file that is not there', () => {
    expect(() => run('--env-file', '/nonexistent/e', 'img')).toThrow(
      expect.objectContaining({ code: 'FILE_UNREADABLE', message: expect.stringContaining('/nonexistent/e') }),
    );
  });
});

describe('mounts (FS-06)', () => {
  test.each([
    [['-v', '/a:/b'], { type: 'bind', source: '/a', target: '/b', readOnly: true }],
    [['-v', '/a:/b:ro'], { readOnly: true }],
    [['-v', '/a:/b/:rw'], { target: '/b', readOnly: false }],
    [['-v', './a:/b'], { type: 'bind', source: `${process.cwd()}/a` }],
    [['-v', 'vol:/b'], { type: 'volume', source: 'vol', readOnly: true }],
    [['--mount', 'type=bind,src=/a,dst=/b'], { type: 'bind', source: '/a', readOnly: true }],
    [['--mount', 'type=bind,source=/a,target=/b,readonly=false'], { readOnly: false }],
    [['--mount', 'type=bind,source=/a,target=/b,readonly'], { readOnly: true }],
    [['--mount', 'target=/b'], { type: 'volume', source: '', readOnly: true }],
    [['--mount', 'type=tmpfs,target=/t,tmpfs-size=1m'], { type: 'tmpfs', readOnly: false, options: 'size=1m' }],
    [['--tmpfs', '/t'], { type: 'tmpfs', source: '', target: '/t', readOnly: false }],
    [['--tmpfs', '/t:size=1m,ro'], { readOnly: true, options: 'size=1m' }],
  ])('%j', (flags, expected) => {
    expect(run(...flags, 'img').request.mounts).toEqual([expect.objectContaining(expected)]);
  });

  test.each([
    ['-v', '/a'],
    ['-v', ':/b'],
    ['-v', '/a:relative'],
    ['-v', '/a:/b:RW'],
    ['-v', '/a:/b:rw,z'],
    ['-v', '/a:/b:/c'],
    ['-v', '/a:/'],
    ['-v', '/a:/.ucp/run'],
    ['-v', '/a:/x/../.ucp'],
    ['-v', 'a/b:/c'],
    ['--mount', 'type=bind,src=/a,dst=/b,propagation=shared'],
    ['--mount', 'type=bind,dst=/b'],
    ['--mount', 'type=bind,src=/a,dst=/b,readonly=no'],
    ['--mount', 'type=bind,src=/a,src=/c,dst=/b'],
    ['--mount', 'type=npipe,src=/a,dst=/b'],
    ['--mount', 'type=bind,src=/a,dst=/b,tmpfs-size=1'],
    ['--tmpfs', '/t:suid'],
    ['--tmpfs', 'rel'],
  ])('%s %s is refused', (flag, value) => {
    expect(() => run(flag, value, 'img')).toThrow(usage(/expected/));
  });
});

describe('ports', () => {
  test.each([
    ['80', [{ address: '127.0.0.1', hostPort: 0, containerPort: 80, protocol: 'tcp' }]],
    ['8080:80/udp', [{ address: '127.0.0.1', hostPort: 8080, containerPort: 80, protocol: 'udp' }]],
    ['0.0.0.0:8080:80', [{ address: '0.0.0.0', hostPort: 8080, containerPort: 80, protocol: 'tcp' }]],
    ['0.0.0.0::80', [{ address: '0.0.0.0', hostPort: 0, containerPort: 80, protocol: 'tcp' }]],
    ['[::1]:8080:80', [{ address: '::1', hostPort: 8080, containerPort: 80, protocol: 'tcp' }]],
    [
      '8000-8001:80-81',
      [
        expect.objectContaining({ hostPort: 8000, containerPort: 80 }),
        expect.objectContaining({ hostPort: 8001, containerPort: 81 }),
      ],
    ],
  ])('-p %s', (text, expected) => {
    expect(run('-p', text, 'img').request.ports).toEqual(expected);
  });

  test.each(['99999', '0', 'x', '80:', '999.0.0.1:1:1', '1-2:3', '80/sctp', '127.0.0.1:80', '2-1'])(
    '-p %s is refused',
    (text) => {
      expect(() => run('-p', text, 'img')).toThrow(usage(/publish/));
    },
  );
});

describe('sizes, isolation, restart', () => {
  test.each([
    ['64m', 2 ** 26],
    ['1.5G', 1.5 * 2 ** 30],
    ['100', 100],
    ['2KiB', 2048],
  ])('-m %s is %i bytes', (text, bytes) => {
    expect(run('-m', text, 'img').request.limits.memory).toBe(bytes);
  });

  test('what --isolation leaves out goes without', () => {
    expect(run('--isolation', 'ipc,uts,net', 'img').request.isolation).toEqual(['pid', 'user']);
    expect(run('--no-isolation', 'img').request.isolation).toHaveLength(5);
    expect(run('img').request.isolation).toBeUndefined();
  });

  test("--restart has docker's values", () => {
    expect(run('-d', '--restart', 'on-failure:3', 'img').request.restart).toEqual({ name: 'on-failure', retries: 3 });
    expect(run('--restart', 'no', 'img').request.restart).toEqual({ name: 'no' });
  });
});
