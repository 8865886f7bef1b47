import { resolve } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { endMarker, goLine } from '../../src/core/init-protocol.ts';
import { busybox, scratch, trait } from '../images/index.ts';
import { busyboxInputs, fillBusybox } from '../images/busybox.ts';
import { make } from '../images/recipe.ts';
import { docker, InitContainers } from './native/init-container.ts';
import { verifies } from './helpers/verifies.ts';

const PROFILE = resolve(import.meta.dirname, '../../profiles/seccomp/default.json');
const NONCE = 'fedcba9876543210fedcba9876543210';
const MARKER = endMarker(NONCE).toString('latin1');

let init: InitContainers;
let image: string;
beforeAll(async () => {
  init = await InitContainers.make();
  image = await busybox();
});
afterAll(() => init[Symbol.asyncDispose]());

const sh = (script: string): readonly string[] => ['sh', '-c', script];

/** Runs a container to its end, let go with the end marker when there is a nonce. */
async function ran(
  flags: readonly string[],
  from: string,
  command: readonly string[],
  nonce?: string,
): Promise<[number, string, string]> {
  const running = init.run(['--rm', ...flags], from, command);
  const connection = await init.socket.ready();
  connection.send(goLine(nonce));
  const { exitCode, stdout, stderr } = await running;
  return [exitCode ?? -1, stdout, stderr];
}

/** A detached container that waits for its answer. */
async function detached(flags: readonly string[], from: string, command: readonly string[]): ReturnType<typeof start> {
  const name = init.name();
  await init.run(['-d', '--name', name, ...flags], from, command);
  return start(name);
}

async function start(
  name: string,
): Promise<{ name: string; connection: Awaited<ReturnType<typeof init.socket.ready>> }> {
  return { name, connection: await init.socket.ready() };
}

describe('ucp-init as PID 1 of a container', () => {
  test('runs as any user, without capabilities or privileges, on a read-only root', async () => {
    const flags = [
      '--user',
      '12345:54321',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
      `--security-opt=seccomp=${PROFILE}`,
      '--read-only',
      '-w',
      '/srv',
    ];
    const [code, out] = await ran(flags, image, sh('id -u; id -g; pwd; touch /x 2>/dev/null || exit 7'));
    expect([code, out]).toEqual([7, '12345\n54321\n/srv\n']);
  });

  test('runs an image that is one program', async () => {
    expect(await ran([], await scratch(), ['/uname'])).toEqual([0, 'Linux\n', '']);
  });

  test('takes user, directory, entrypoint and command from the image', async () => {
    const command = ['sh', '-c', 'echo $(id -u) $PWD', 'sh'];
    expect((await ran([], await trait('defaults'), command))[1]).toBe('1000 /srv\n');
  });

  test.each([
    [sh('exit 0'), 0],
    [sh('exit 42'), 42],
    [sh('kill -KILL $$'), 137],
    [['/etc'], 126],
    [['/etc/passwd'], 126],
    [['no-such-program'], 127],
  ])('ends %j with %i', async (command, code) => {
    expect((await ran([], image, command))[0]).toBe(code);
  });

  verifies(['INIT-01'], 'runs nothing without a control plane', async () => {
    const args = init.args(['--rm'], image, ['echo', 'ran'], init.emptyDir());
    const refused = await docker(...args);
    expect(refused).toMatchObject({ exitCode: 125, stdout: '' });
    expect(refused.stderr).toMatch(/^ucp-init: no control plane at \/\.ucp\/run\/init\.sock/);
  });

  test('reaps what the workload leaves behind', async () => {
    const script = '(sleep 0.1 & sleep 0.1 & sleep 0.1 &); sleep 0.4; cat /proc/[0-9]*/status | grep -c "^State:.*Z"';
    expect(await ran([], image, sh(script))).toEqual([1, '0\n', '']);
  });

  test('keeps the container alive for nobody but the workload', async () => {
    const [code, out] = await ran([], await trait('forking'), sh('sleep 300 & echo up'));
    expect([code, out]).toEqual([0, 'up\n']);
  });

  test("is out of the workload's reach, which reaches itself", async () => {
    const script = `
      reads() {
        for file in environ mem maps; do (: < /proc/$1/$file) 2>/dev/null && echo $2 $file; done
        for link in exe cwd fd/0; do readlink /proc/$1/$link > /dev/null && echo $2 $link; done
      }
      kill -KILL 1; kill -STOP 1
      reads 1 init; reads $$ self; echo written > /dev/stdout`;
    const own = 'self environ\nself mem\nself maps\nself exe\nself cwd\nself fd/0\nwritten\n';
    for (const user of ['0', '1000']) {
      const [code, out] = await ran(['--user', user, '--cap-drop', 'ALL'], image, sh(script));
      expect([user, code, out]).toEqual([user, 0, own]);
    }
  });

  test('is replaced by a program that insists on being PID 1', async () => {
    const running = init.run(['--rm'], image, sh('echo $$; exit 9'));
    (await init.socket.ready()).send('exec\n');
    expect(await running).toMatchObject({ exitCode: 9, stdout: '1\n' });
  });
});

describe('signals', () => {
  test('end it at once while it waits', async () => {
    const { name, connection } = await detached([], image, ['sleep', '300']);
    await docker('stop', '-t', '60', name);
    await connection.ended;
    expect((await docker('inspect', '-f', '{{.State.ExitCode}}', name)).stdout).toBe('143');
  });

  test("reach the workload, the image's stop signal as well", async () => {
    const { name, connection } = await detached(
      [],
      await trait('stop-signal'),
      sh("trap '' TERM; trap 'exit 7' USR1; echo up; while :; do sleep 0.1; done"),
    );
    connection.send('go -\n');
    await expect.poll(async () => (await docker('logs', name)).stdout).toBe('up');
    await docker('kill', '-s', 'TERM', name);
    await docker('stop', '-t', '60', name);
    expect((await docker('inspect', '-f', '{{.State.ExitCode}}', name)).stdout).toBe('7');
    expect(connection.text).toBe('ready 1\nexit 7\n');
  });
});

describe('every start', () => {
  verifies(['INIT-01', 'INIT-02'], 'asks again on docker start', async () => {
    const { name, connection } = await detached([], image, ['echo', 'ran']);
    connection.send('go -\n');
    await docker('wait', name);
    await docker('start', name);
    const again = await init.socket.ready();
    again.send('no policy has changed\n');
    expect((await docker('wait', name)).stdout).toBe('125');
    expect(await docker('logs', name)).toMatchObject({ stdout: 'ran', stderr: 'ucp-init: policy has changed' });
  });

  verifies(['INIT-02'], 'asks again on each round of a restart policy', async () => {
    const { name, connection } = await detached(['--restart', 'on-failure:2'], image, sh('echo round; exit 3'));
    connection.send('go -\n');
    for (let round = 0; round < 2; round += 1) (await init.socket.ready()).send('go -\n');
    await expect
      .poll(
        async () =>
          (await docker('inspect', '-f', '{{.State.Status}} {{.RestartCount}} {{.State.ExitCode}}', name)).stdout,
        { timeout: 10_000 },
      )
      .toBe('exited 2 3');
    expect((await docker('logs', name)).stdout).toBe('round\nround\nround');
  });
});

describe('a health check', () => {
  const CHECK = ['/.ucp/init', 'healthcheck', 'touch', '/tmp/checked'];

  test.each([
    ['go', []],
    ['exec', []],
    ['go', ['--pid', 'host']],
  ])('runs nothing before %s %j, and its command after', async (answer, flags) => {
    const { name, connection } = await detached(flags, image, ['sleep', '300']);
    const early = await docker('exec', name, ...CHECK);
    expect(early).toMatchObject({ exitCode: 1, stderr: 'ucp-init: healthcheck: the workload has not been let go yet' });
    expect((await docker('exec', name, 'ls', '/tmp')).stdout).toBe('');
    connection.send(answer === 'go' ? 'go -\n' : 'exec\n');
    await expect.poll(async () => (await docker('exec', name, ...CHECK)).exitCode).toBe(0);
    expect((await docker('exec', name, 'ls', '/tmp')).stdout).toBe('checked');
    await docker('rm', '-f', name);
  });

  verifies(['EX-22'], 'of the engine is not healthy before go and is after', async () => {
    const checked = await make({
      name: 'gated-health',
      inputs: busyboxInputs(),
      changes: [`HEALTHCHECK --interval=100ms --retries=2 CMD ${JSON.stringify(CHECK)}`, 'ENV PATH=/bin'],
      fill: fillBusybox,
    });
    const { name, connection } = await detached([], checked, ['sleep', '300']);
    const health = async (): Promise<string> =>
      (await docker('inspect', '-f', '{{.State.Health.Status}}', name)).stdout;
    await expect.poll(health, { timeout: 10_000 }).toBe('unhealthy');
    expect((await docker('exec', name, 'ls', '/tmp')).stdout).toBe('');
    connection.send('go -\n');
    await expect.poll(health, { timeout: 10_000 }).toBe('healthy');
    await docker('rm', '-f', name);
  });
});

describe('output', () => {
  test('ends with the marker on stdout and stderr', async () => {
    const [code, out, err] = await ran([], image, sh('printf out; printf err >&2; exit 2'), NONCE);
    expect([code, out, err]).toEqual([2, `out${MARKER}`, `err${MARKER}`]);
  });

  test('of 20 MB is complete before the marker', async () => {
    const [code, out] = await ran([], image, sh('head -c 20000000 /dev/zero | tr "\\0" x'), NONCE);
    expect([code, out.length, out.endsWith(`x${MARKER}`)]).toEqual([0, 20_000_000 + MARKER.length, true]);
  });
});

/** Types `keys` one after the other, each when the screen shows its prompt; the screen at the end. */
async function typed(
  command: readonly string[],
  keys: readonly (readonly [string, string])[],
): Promise<[number, string]> {
  const args = init
    .args(['--rm', '-it', '--name', init.name()], image, command)
    .map((arg) => `'${arg.replaceAll("'", String.raw`'\''`)}'`);
  const terminal = execa('script', ['-qec', `docker ${args.join(' ')}`, '/dev/null'], {
    reject: false,
    stdin: 'pipe',
  });
  (await init.socket.ready()).send(goLine(NONCE));
  let screen = '';
  let next = 0;
  terminal.stdout.setEncoding('latin1').on('data', (text: string) => {
    screen += text;
    const [prompt, key] = keys[next] ?? [];
    if (prompt === undefined || key === undefined || !screen.includes(prompt)) return;
    next += 1;
    screen += '<key>';
    terminal.stdin.write(key);
  });
  const { exitCode } = await terminal;
  return [exitCode ?? -1, screen];
}

describe('a terminal', () => {
  test('gives Ctrl+C to the workload and has one marker', async () => {
    const [code, screen] = await typed(sh('trap "echo caught; exit 4" INT; echo up; while :; do sleep 0.1; done'), [
      ['up', '\u0003'],
    ]);
    expect([code, screen.split(MARKER).length]).toEqual([4, 2]);
    expect(screen).toContain('caught');
  });

  test('has job control in a shell', async () => {
    const [code, screen] = await typed(
      ['sh', '-i'],
      [
        ['# ', String.raw`sh -c "printf 'st''arted\n'; exec sleep 300"` + '\r'],
        ['started', '\u001a'],
        // The first exit only warns of stopped jobs.
        ['Stopped', 'jobs\rexit\rexit 5\r'],
      ],
    );
    expect(code).toBe(5);
    expect(screen).toMatch(/jobs[^]*\[1\]\+ {2}Stopped +sh -c/);
  });

  test('is not lost to Ctrl+Z when nobody could resume the workload', async () => {
    const [code, screen] = await typed(sh('echo up; exec cat'), [
      ['up', '\u001a'],
      ['^Z', 'still here\r'],
      ['still here\r\nstill here', '\u0003'],
    ]);
    expect([code, screen.includes('still here')]).toEqual([130, true]);
  });
});
