import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa, type ResultPromise } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';

/** May use the engine's socket, as members of group docker may, and has no other right. */
const NOBODY = ['--reuid', '65534', '--regid', '65534', '--groups', engineGroup(), '--reset-env'];
const SECRET = 'Bearer not-for-everybody';

/** A service as root, its socket in a directory that every user may enter. */
describe('a user who is not in the group', () => {
  let dir: string;
  let env: Record<string, string>;
  let daemon: ResultPromise;
  let image: string;

  beforeAll(async () => {
    image = await busybox();
    dir = mkdtempSync(join(tmpdir(), 'ucp-e2e-rights-'));
    mkdirSync(join(dir, 'run'));
    for (const path of [dir, join(dir, 'run')]) chmodSync(path, 0o755);
    const headers = ['event_url: http://127.0.0.1:9', 'event_headers:', `  authorization: ${SECRET}`];
    writeFileSync(join(dir, 'config.yaml'), `${headers.join('\n')}\n`, { mode: 0o600 });
    env = { UCP_SOCKET: join(dir, 'run/ucpd.sock'), UCP_STATE_DIR: join(dir, 's'), HOME: dir };
    const args = ['bin/ucpd.js', 'run', '--config', join(dir, 'config.yaml')];
    daemon = execa(process.execPath, args, { env, stdio: 'ignore', reject: false });
    await until('it serves', async () => (await as([], 'ucpd', 'status')).exitCode === 0);
  });
  afterAll(async () => {
    daemon.kill('SIGTERM');
    await daemon;
    rmSync(dir, { recursive: true, force: true });
  });

  /** One of our programs, run through `wrapper` (setpriv's arguments; none: as root). */
  async function as(wrapper: readonly string[], program: string, ...args: string[]): Promise<Ran> {
    const { UCP_SOCKET = '', HOME = '' } = env;
    return sent(wrapper, { UCP_SOCKET, HOME }, program, ...args);
  }

  verifies(['SVC-02'], 'reads the state and nothing that is secret', async () => {
    const status = await as(NOBODY, 'ucpd', 'status', '--json');
    expect(status).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(status.stdout)).toMatchObject({ mode: 'service', policy: { source: 'built-in' } });
    expect(status.stdout).not.toContain(SECRET);
    expect(await as(NOBODY, 'ucp-sandbox', 'ps', '--json')).toMatchObject({ exitCode: 0, stdout: '[]' });
  });

  verifies(['SVC-02'], 'runs, syncs and stops nothing, on either socket', async () => {
    for (const args of [
      ['ucp-sandbox', 'run', image, 'echo', 'ran'],
      ['ucpd', 'sync'],
      ['ucpd', 'stop'],
    ] as const) {
      const [program, ...rest] = args;
      const main = await as(NOBODY, program, ...rest);
      expect([main.exitCode === 0, main.stdout]).toEqual([false, '']);
      expect(main.stderr).toMatch(/CONTROLPLANE_DENIED.*group/);
    }
    const reading = { UCP_SOCKET: join(dir, 'run/status.sock'), HOME: dir };
    const synced = await sent(NOBODY, reading, 'ucpd', 'sync');
    expect([synced.exitCode, synced.stderr]).toEqual([1, expect.stringMatching(/CONTROLPLANE_READ_ONLY.*group ucp/)]);
    const ran = await sent([], reading, 'ucp-sandbox', 'run', image, 'echo', 'ran');
    expect([ran.exitCode, ran.stdout]).toEqual([125, '']);
    expect(ran.stderr).toMatch(/CONTROLPLANE_READ_ONLY.*group ucp/);
    expect((await as([], 'ucp-sandbox', 'run', image, 'echo', 'ran')).stdout).toBe('ran');
  });
});

function engineGroup(): string {
  return String(statSync('/var/run/docker.sock').gid);
}

interface Ran {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function sent(
  wrapper: readonly string[],
  env: Record<string, string>,
  program: string,
  ...args: string[]
): Promise<Ran> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = ['env', ...variables, process.execPath, `bin/${program}.js`, ...args];
  const [file = '', ...rest] = wrapper.length === 0 ? command : ['setpriv', ...wrapper, ...command];
  const { exitCode, stdout, stderr } = await execa(file, rest, { reject: false });
  return { exitCode, stdout, stderr };
}
