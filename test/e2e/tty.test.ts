import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../images/index.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

/** Runs argv[1:] on a new pseudo-terminal of 91×33, types stdin's text, resizes to 100×40 at "resize", prints what the terminal got. */
const TERMINAL = `
import fcntl, os, pty, struct, sys, termios, signal, select
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
size = lambda rows, columns: fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
size(33, 91)
seen, step = b'', 0
script = sys.stdin.read().split('|')
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
    while step < len(script) and script[step].split('=>')[0].encode() in seen:
        action = script[step].split('=>')[1]
        step += 1
        if action == 'RESIZE':
            size(40, 100)
            os.kill(pid, signal.SIGWINCH)
        else:
            os.write(fd, action.encode().decode('unicode_escape').encode())
status = os.waitpid(pid, 0)[1]
sys.stdout.write(seen.decode(errors='replace'))
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

describe('a terminal', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const onTerminal = async (
    script: string,
    args: readonly string[],
    shell = false,
  ): Promise<{ exitCode: number; screen: string }> => {
    const command = [process.execPath, 'bin/ucp-sandbox.js', ...args];
    const argv = shell
      ? ['sh', '-c', `stty -a > "$HOME/before"; "$@"; code=$?; stty -a > "$HOME/after"; exit $code`, 'sh', ...command]
      : command;
    const ran = await execa('python3', ['-c', TERMINAL, ...argv], {
      env: host.env,
      extendEnv: false,
      input: script,
      reject: false,
    });
    return { exitCode: ran.exitCode ?? -1, screen: ran.stdout };
  };

  verifies(['RUN-12'], 'has the size of the outer one, follows its changes and carries keys raw', async () => {
    const { exitCode, screen } = await onTerminal('ready=>RESIZE|40 100=>q', [
      'run', '-it', image, 'sh', '-c', 'stty size; trap "stty size" WINCH; echo ready; while ! [ "$k" = q ]; do read -t 1 -n 1 -s k; done; exit 9',
    ]); // prettier-ignore
    expect(screen).toContain('33 91');
    expect(screen).toContain('40 100');
    expect(exitCode).toBe(9);
  });

  verifies(['RUN-12', 'RUN-13'], 'passes Ctrl+C to the workload as a key and is restored at the end', async () => {
    const { exitCode, screen } = await onTerminal(
      'ready=>\\x03',
      ['run', '-it', image, 'sh', '-c', 'trap "echo interrupted; exit 4" INT; echo ready; while :; do sleep 0.1; done'],
      true,
    );
    expect(screen).toContain('interrupted');
    expect(exitCode).toBe(4);
    const { stdout } = await execa('diff', [host.path('before'), host.path('after')]);
    expect(stdout).toBe('');
  });
});
