import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';

const PROGRAM = join(resolve(import.meta.dirname, '../../..'), 'bin/ucp-sandbox.js');
const NAME = `ucp-cases-${process.pid}`;
/** What programs of the host run or obey when they find it in a project. */
const TRUSTED = ['.mcp.json', '.claude/settings.json', '.git/hooks/pre-commit', '.vscode/tasks.json'];
/** Writes to the clipboard of a terminal, and renames its window. */
const ESCAPES = '\u001b]52;c;YQ==\u0007\u001b]0;owned\u0007';

describe('cases of everyday use', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
    for (const dir of ['.claude', '.git/hooks', '.vscode']) mkdirSync(host.path('project', dir), { recursive: true });
  });
  afterAll(async () => {
    await host.sandbox(['rm', '-f', NAME]);
    await host[Symbol.asyncDispose]();
  });

  verifies(
    ['FS-04'],
    'a project that is mounted gets no file that a host tool would trust, unless :rw is written',
    async () => {
      const script = TRUSTED.map((file) => `touch /p/${file} 2>/dev/null && echo ${file}`).join('; ');
      const made = async (mode: string): Promise<string> =>
        (
          await host.sandbox([
            'run',
            '-u',
            '0',
            '-v',
            `${host.path('project')}:/p${mode}`,
            image,
            'sh',
            '-c',
            `${script}; true`,
          ])
        ).stdout;
      expect(await made('')).toBe('');
      expect((await made(':rw')).trim().split('\n')).toEqual(TRUSTED);
    },
  );

  verifies(['PL-07'], 'no file of the current directory changes a run; a policy that is named does', async () => {
    const loose = {
      policy_id: 'loose',
      version: 1,
      options: { enable: true, allow_privileged: true, limits: { pids: 4000 } },
    };
    for (const file of [
      'config.yaml',
      'policy.json',
      '.ucp/config.yaml',
      '.ucp/policy.json',
      '.config/ucp/config.yaml',
    ]) {
      mkdirSync(host.path('repo', file, '..'), { recursive: true });
      writeFileSync(host.path('repo', file), JSON.stringify(loose));
    }
    const spec = async (cwd: string, ...flags: readonly string[]): Promise<unknown> => {
      const { stdout } = await host.sandbox(['run', '--dry-run', ...flags, image, 'true'], { cwd });
      return (JSON.parse(stdout) as { spec: { HostConfig: { PidsLimit: number } } }).spec.HostConfig.PidsLimit;
    };
    const elsewhere = await spec('/');
    expect(await spec(host.path('repo'))).toBe(elsewhere);
    const policy = host.path('tight.json');
    writeFileSync(
      policy,
      JSON.stringify({ ...loose, options: { enable: true, remediate: true, limits: { pids: 7 } } }),
    );
    await host.policy(['keygen', '--out', host.path('key')]);
    await host.policy(['sign', policy, '--key', host.path('key')]);
    expect(await spec(host.path('repo'), '--policy', policy, '--policy-key', host.path('key.pub'))).toBe(7);
  });

  verifies(
    ['CT-07', 'LC-08'],
    'what a workload prints reaches no terminal as it is, and exec needs no end of input',
    async () => {
      const script = `printf '${ESCAPES.replaceAll('\u001b', '\\033').replaceAll('\u0007', '\\007')}said\\n'; sleep 600`;
      await host.sandbox(['run', '-d', '--name', NAME, image, 'sh', '-c', script]);
      const logs = async (...flags: readonly string[]): Promise<string> =>
        (await host.sandbox(['logs', ...flags, NAME])).stdout;
      await until('it has printed', async () => (await logs()) === `${ESCAPES}said\n`);
      const shown = await execa('script', ['-qec', `'${process.execPath}' '${PROGRAM}' logs ${NAME}`, '/dev/null'], {
        env: host.env,
        extendEnv: false,
        stdin: 'ignore',
      });
      expect(shown.stdout).toContain('\\u001b]52;c;YQ==\\u0007');
      expect(shown.stdout).not.toContain('\u001b]');
      expect(await logs('--json')).not.toContain('\u001b');
      const child = host.spawn(['exec', NAME, 'echo', 'done'], { stdin: 'pipe' });
      expect((await child).stdout).toBe('done\n');
      const reading = host.spawn(['exec', '-i', NAME, 'head', '-n', '1'], { stdin: 'pipe' });
      reading.stdin?.write('line\n');
      expect((await reading).stdout).toBe('line\n');
    },
  );
});
