import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { busybox } from '../../images/index.ts';
import { docker, until } from '../helpers/docker.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { leaks } from './helpers/leaks.ts';

/** Not real ones; no two share a beginning. */
const KEPT = 'kept-in-a-keyring-8121';
const AGED = 'aged-in-a-file-5533';
const SALTED = 'salted-in-a-file-9044';
const SET = 'set-in-a-variable-7715';

const SHOW = [
  'cat /run/secrets/aged; echo; echo $SALTED $TOKEN; cat /run/secrets/kept; echo',
  'stat -c "%a %u" /run/secrets/aged; grep core /proc/self/limits',
  // In one piece, and in two with a pause between.
  'echo "said $TOKEN" >&2; printf "%s" "said ${SALTED%9044}" >&2; sleep 0.3; echo 9044 >&2; echo "done" >&2',
].join('; ');

describe('secrets', () => {
  let host: TestHost;
  let image: string;

  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
    const dir = host.path('.config/ucp/secrets');
    mkdirSync(dir, { recursive: true });
    mkdirSync(host.path('bin'));
    // Stands in for a desktop's keyring.
    const tool = `#!/bin/sh\n[ "$*" = "lookup ucp-secret kept" ] && printf %s ${KEPT}\n`;
    writeFileSync(host.path('bin/secret-tool'), tool);
    chmodSync(host.path('bin/secret-tool'), 0o755);
    await execa('age-keygen', ['-o', `${dir}/identity`]);
    const { stdout: recipient } = await execa('age-keygen', ['-y', `${dir}/identity`]);
    await execa('age', ['-r', recipient, '-o', `${dir}/aged.age`], { input: AGED });
    writeFileSync(`${dir}/passphrase`, 'for the test only\n');
    const enc = ['enc', '-aes-256-cbc', '-pbkdf2', '-pass', `file:${dir}/passphrase`, '-out', `${dir}/salted.enc`];
    await execa('openssl', enc, { input: `${SALTED}\n` });
  });
  afterAll(async () => host[Symbol.asyncDispose]());

  const env = (): Record<string, string> => ({
    PATH: `${host.path('bin')}:${host.env['PATH'] ?? ''}`,
    XDG_RUNTIME_DIR: host.path('none'),
    VARIABLE: SET,
  });
  const FLAGS = ['--secret', 'kept', '--secret', 'aged', '--secret', 'salted,env=SALTED'];
  const VARIABLE = ['--secret', 'token,env=TOKEN,from=env:VARIABLE'];

  verifies(['MCP-07'], 'reach the workload from keyring, encrypted file and variable, and nothing else', async () => {
    const added = ['mcp', 'add', '--no-check', 'keeps', ...FLAGS, ...VARIABLE, image, 'true'];
    expect((await host.sandbox(added, { env: env() })).exitCode).toBe(0);
    const run = ['run', '-i', '--name', 'ucp-e2e-keeps', '-u', '1234', ...FLAGS, ...VARIABLE];
    // The control: a search that finds what is given by -e and by a label.
    const control = ['-e', 'OPEN=control-of-the-search', '-l', 'open=control-of-the-search'];
    const child = host.spawn([...run, ...control, image, 'sh', '-c', `${SHOW}; exec cat`], { env: env() });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await until('the workload says it is done', () => stderr.includes('done'));
    for (const secret of [KEPT, AGED, SALTED, SET]) {
      expect([secret, await leaks(host, 'ucp-e2e-keeps', secret)]).toEqual([secret, []]);
    }
    const found = await leaks(host, 'ucp-e2e-keeps', 'control-of-the-search');
    expect(found).toEqual(expect.arrayContaining(['inspect', 'ps', 'argv', 'file records/ID.json']));
    expect((await docker('exec', '-u', '4321', 'ucp-e2e-keeps', 'cat', '/run/secrets/aged')).exitCode).not.toBe(0);
    expect((await docker('exec', '-u', '0', 'ucp-e2e-keeps', 'cat', '/run/secrets/aged')).exitCode).not.toBe(0);
    expect((await docker('exec', '-u', '1234', 'ucp-e2e-keeps', 'cat', '/run/secrets/aged')).stdout).toBe(AGED);
    child.stdin?.end();
    const { stdout } = await child;
    expect(stdout).toContain(`${AGED}\n${SALTED} ${SET}\n${KEPT}\n400 1234\n`);
    expect(stdout).toMatch(/core file size +1 +1 /);
    expect(stderr).toBe('said [secret]\nsaid [secret]\ndone\n');
  });

  verifies(['MCP-07'], 'come again at every start, and are asked for when the control plane forgot them', async () => {
    const name = 'ucp-e2e-secret-again';
    const script = 'echo started $(wc -c < /run/secrets/aged); exec sleep 600';
    const run = ['run', '-d', '--name', name, '--secret', 'aged', image, 'sh', '-c', script];
    expect(await host.sandbox(run, { env: env() })).toMatchObject({ exitCode: 0 });
    const starts = async (): Promise<number> =>
      (await docker('logs', name)).stdout.split(`started ${AGED.length}`).length - 1;
    await until('the first start', async () => (await starts()) === 1);
    expect((await docker('restart', '-t', '0', name)).exitCode).toBe(0);
    await until('the second start', async () => (await starts()) === 2);
    await host.ucpd(['stop']);
    await host.sandbox(['ps']);
    await docker('restart', '-t', '0', name);
    await until('the refusal', async () =>
      (await docker('logs', name)).stderr.includes('aged of ucp-e2e-secret-again'),
    );
    expect(await starts()).toBe(2);
    expect((await host.ucpd(['logs', '--json'])).stdout).toContain('SECRETS_MISSING');
    // Without the secret at hand the same is said to who asks.
    const poor = await host.sandbox(['restart', name], { env: { ...env(), XDG_CONFIG_HOME: host.path('none') } });
    expect(poor).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('SECRETS_MISSING') });
    expect(await host.sandbox(['restart', name], { env: env() })).toMatchObject({ exitCode: 0 });
    await until('the last start', async () => (await starts()) === 3);
    expect(await leaks(host, name, AGED)).toEqual([]);
    await host.sandbox(['rm', '-f', name]);
  });

  verifies(['MCP-07'], 'that cannot be had or put keep the workload from running', async () => {
    const refused = async (secret: string, ...more: readonly string[]): Promise<string> => {
      const ran = await host.sandbox(['run', '--secret', secret, ...more, image, 'echo', 'ran'], { env: env() });
      expect(ran).toMatchObject({ exitCode: 125, stdout: '' });
      expect(ran.stderr).not.toContain(SET);
      return ran.stderr;
    };
    expect(await refused('nowhere')).toContain('SECRET_NOT_FOUND');
    expect(await refused('other,from=keyring')).toContain('SECRET_UNREADABLE');
    writeFileSync(host.path('clear'), SET);
    expect(await refused(`clear,from=file:${host.path('clear')}`)).toContain('SECRET_UNREADABLE');
    expect(await refused('VARIABLE,file=/run/a/b/c,from=env:VARIABLE', '-v', '/usr/share:/run/a/b')).toContain(
      'OPTIONS_REFUSED',
    );
    expect(await refused('VARIABLE,env=NODE_OPTIONS')).toContain('USAGE');
    expect(await refused('VARIABLE,file=/etc/passwd')).toContain('USAGE');
    const twice = ['--secret', 'kept,file=/run/x/y/z'];
    expect(await refused('VARIABLE,file=/run/x/y/z', ...twice)).toContain('USAGE');
    const long = await refused(`VARIABLE,file=/run/x/${'n'.repeat(300)}`);
    expect(long).toContain('SECRET_UNDELIVERED');
  });
});
