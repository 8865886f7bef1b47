import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { refusalLine } from '../../../src/core/init-protocol.ts';
import { InitProgram, sh } from './init-program.ts';

const NONCE = '0123456789abcdef0123456789abcdef';
const REFUSED = 125;

let init: InitProgram;
beforeAll(async () => {
  init = await InitProgram.build();
});
afterEach(() => init.reset());
afterAll(() => init[Symbol.asyncDispose]());

const touch = (): readonly string[] => ['touch', join(init.dir, 'ran')];
const ran = (): boolean => existsSync(join(init.dir, 'ran'));

describe('before go', () => {
  test('says ready and runs nothing until it is let go', async () => {
    const [process, connection] = await init.waiting(touch());
    expect(connection.text).toBe('ready 1\n');
    expect(process.children()).toEqual([]);
    expect(ran()).toBe(false);
    connection.close();
    expect((await process.ended).code).toBe(REFUSED);
    expect(ran()).toBe(false);
  });

  test('refuses without a socket and with nobody listening', async () => {
    const absent = await init.start(touch()).ended;
    expect(absent.stderr).toMatch(/^ucp-init: no control plane at .*: No such file or directory\n$/);
    const server = createServer().listen(join(init.dir, 'other.sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    writeFileSync(join(init.runDir, 'init.sock'), '');
    const deaf = await init.start(touch()).ended;
    expect(deaf.stderr).toMatch(/^ucp-init: no control plane at .*: Connection refused\n$/);
    server.close();
    expect([absent.code, deaf.code, ran()]).toEqual([REFUSED, REFUSED, false]);
  });

  test.each([
    ['', /went away before/],
    ['go -', /went away before/],
    ['go\n', /expected `go MARKER`/],
    ['go 0123\n', /expected `go MARKER`.*got: go 0123/],
    [`go ${NONCE.toUpperCase()}\n`, /expected `go MARKER`/],
    [`go ${NONCE}0\n`, /expected `go MARKER`/],
    [`go -${'x'.repeat(4000)}\n`, /expected `go MARKER`/],
    ['GO -\n', /expected `go MARKER`/],
    ['exec now\n', /expected `go MARKER`/],
    ['\n', /expected `go MARKER`/],
    [refusalLine('policy p\nsays no'), /^ucp-init: policy p says no\n$/],
    [`no \u001b[31mred\u0007\n`, /^ucp-init: \?\[31mred\?\n$/],
  ])('refuses the answer %j', async (answer, message) => {
    const [process, connection] = await init.waiting(touch());
    connection.send(answer);
    if (!answer.endsWith('\n')) connection.close();
    const ended = await process.ended;
    expect([ended.code, ran()]).toEqual([REFUSED, false]);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr.split('\n')).toHaveLength(2);
  });

  test('tries the exec of an empty file as often as it is asked, and runs no other', async () => {
    const [process, connection] = await init.waiting(sh('exit 7'));
    const at = (name: string): string => join(init.dir, name);
    writeFileSync(at('empty'), '', { mode: 0o755 });
    writeFileSync(at('closed'), '', { mode: 0o644 });
    writeFileSync(at('script'), `#!/bin/sh\ntouch ${at('script-ran')}\n`, { mode: 0o755 });
    for (const name of ['empty', 'closed', 'script', 'absent', 'empty']) {
      const before = connection.text;
      connection.send(`try ${at(name)}\n`);
      await connection.said(`${before}tried `);
      await connection.said('\n');
    }
    connection.send('go -\n');
    expect((await process.ended).code).toBe(7);
    await connection.ended;
    expect(connection.text).toBe('ready 1\ntried 8\ntried 13\ntried 0\ntried 0\ntried 8\nexit 7\n');
    expect(existsSync(at('script-ran'))).toBe(false);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)('ends at once on %s', async (signal) => {
    const [process] = await init.waiting(touch());
    process.child.kill(signal);
    const codes = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 };
    expect((await process.ended).code).toBe(codes[signal]);
    expect(ran()).toBe(false);
  });

  test('keeps other signals for the workload', async () => {
    const [process, connection] = await init.waiting([
      'bash',
      '-c',
      'trap "exit 9" USR1; echo up; while :; do sleep 0.05; done',
    ]);
    process.child.kill('SIGUSR2');
    connection.send('go -\n');
    expect((await process.ended).code).toBe(128 + 12);
  });

  test('cannot be talked out of asking by environment or arguments', async () => {
    for (const command of [['--help'], ['-c', 'true'], ['--', 'true'], ['exec', 'true']]) {
      const alone = await init.start(command, { UCP_RUN_DIR: '/nowhere', UCP_INIT: 'off', LD_PRELOAD: '' }).ended;
      expect(alone.code).toBe(REFUSED);
    }
    expect(await init.start([]).ended).toMatchObject({ code: REFUSED, stderr: 'ucp-init: expected a command\n' });
  });
});

describe('the exit code', () => {
  test.each([
    [sh('exit 0'), 0],
    [sh('exit 42'), 42],
    [sh('exit 255'), 255],
    [sh('kill -KILL $$'), 137],
    [sh('kill -SEGV $$'), 139],
    [['no-such-program'], 127],
    [['/no/such/program'], 127],
    [['/etc/passwd/x'], 127],
    [['/etc/passwd'], 126],
    [['/etc'], 126],
  ])('of %j is %i, on the socket too', async (command, code) => {
    const [process, connection] = await init.going(command);
    expect((await process.ended).code).toBe(code);
    await connection.ended;
    expect(connection.text).toBe(`ready 1\nexit ${code}\n`);
  });

  test('is 127 with a reason when the interpreter is missing', async () => {
    writeFileSync(join(init.dir, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 });
    const [process] = await init.going(['./script']);
    expect(await process.ended).toMatchObject({ code: 127, stderr: expect.stringContaining('its interpreter') });
  });

  test('survives the loss of the control plane', async () => {
    const [process, connection] = await init.going(sh('echo up; read x; exit 5'), NONCE);
    await process.wrote('up');
    connection.close();
    await init.reset();
    process.child.stdin?.end('\n');
    expect((await process.ended).code).toBe(5);
  });
});

describe('the workload', () => {
  test('has the environment, directory, descriptors and signal mask of its container', async () => {
    const look = sh('env; pwd; ls /proc/self/fd; grep -E "Sig(Blk|Ign)" /proc/self/status; echo "$@"', 'a b', '', '*');
    const [process] = await init.going(look);
    const { stdout } = await process.ended;
    expect(stdout.toString()).toBe((await init.run(look).ended).stdout.toString());
    expect(stdout.toString()).toMatch(/SigBlk:\t0{16}\n[^]*a b {2}\*\n$/);
  });

  test('is announced by the name of init', async () => {
    const comm = (): string => readFileSync(`/proc/${process.pid}/comm`, 'utf8');
    const [process, connection] = await init.waiting(['cat']);
    expect(comm()).toBe('ucp-init-wait\n');
    connection.send('go -\n');
    await expect.poll(() => process.children().length).toBe(1);
    expect(comm()).toBe('ucp-init\n');
    process.child.stdin?.end();
    expect((await process.ended).code).toBe(0);
  });

  test.each([
    ['TERM', 15],
    ['INT', 2],
    ['HUP', 1],
    ['QUIT', 3],
    ['USR1', 10],
    ['USR2', 12],
    ['WINCH', 28],
    ['PIPE', 13],
    ['RTMIN', 34],
    ['RTMAX', 64],
  ])('gets %s', async (name, number) => {
    const [process] = await init.going(['bash', '-c', `trap "exit 9" ${name}; echo up; while :; do sleep 0.05; done`]);
    await process.wrote('up');
    globalThis.process.kill(process.pid, number);
    expect((await process.ended).code).toBe(9);
  });

  test("reaches its own group and not init by 'kill 0'", async () => {
    const [process, connection] = await init.going(sh('trap "exit 3" TERM; kill -TERM 0; sleep 5'));
    expect((await process.ended).code).toBe(3);
    expect(connection.text).toContain('exit 3\n');
  });

  test('leaves its orphans to init, which reaps them', async () => {
    const [process] = await init.going(sh('(sleep 0.2 & sleep 0.2 &) ; echo up; read x'));
    await process.wrote('up');
    expect(process.children()).toHaveLength(3);
    await expect.poll(() => process.children().length).toBe(1);
    process.child.stdin?.end('\n');
    expect((await process.ended).code).toBe(0);
  });

  test('is the only reader of its input', async () => {
    const [process] = await init.going(sh('exec 0<&-; echo closed; exec sleep 60'));
    const errors: Error[] = [];
    process.child.stdin?.on('error', (error) => errors.push(error));
    await process.wrote('closed');
    await expect
      .poll(() => {
        process.child.stdin?.write('x');
        return errors[0];
      })
      .toMatchObject({ code: 'EPIPE' });
    process.child.kill('SIGTERM');
    expect((await process.ended).code).toBe(143);
  });

  test('replaces init when the answer is exec', async () => {
    const [process, connection] = await init.waiting(sh('echo $$; grep SigBlk /proc/self/status; exit 4'));
    connection.send('exec\n');
    expect(await process.ended).toMatchObject({
      code: 4,
      stdout: Buffer.from(`${process.pid}\nSigBlk:\t0000000000000000\n`),
    });
    await connection.ended;
    expect(connection.text).toBe('ready 1\n');
  });
});
