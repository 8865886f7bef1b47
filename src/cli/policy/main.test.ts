import { statSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PolicyCli } from './testing.ts';

let cli: PolicyCli;
beforeAll(() => {
  cli = new PolicyCli();
});
afterAll(() => cli[Symbol.dispose]());

const policy = { policy_id: 'test', version: 3, exec: { enable: true, deny_list: ['**/curl'] } };

describe('ucp-policy', () => {
  test('lists its verbs, and refuses what it does not know', async () => {
    const help = await cli.run(['--help']);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toMatch(/validate.*report every problem/);
    expect(await cli.run([])).toMatchObject({ exitCode: 2 });
    expect(await cli.run(['frobnicate'])).toMatchObject({ exitCode: 2, stdout: '' });
    const unknown = await cli.run(['validate', 'x.json', '--bogus', '--json']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(unknown.stderr)).toMatchObject({ outcome: 'error', code: 'USAGE', exitCode: 2 });
    expect((await cli.run(['--version'])).stdout).toMatch(/^V\d\d\.\d\d\.\d+\n$/);
  });
});

describe('ucp-policy validate', () => {
  test('answers with the policy’s identity', async () => {
    const file = cli.write('good.json', policy);
    const { exitCode, stdout } = await cli.run(['validate', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/good\.json: valid, test version 3, 79 bytes, sha256:[0-9a-f]{64}\n$/);
    const json = await cli.run(['validate', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: true,
      policy_id: 'test',
      version: 3,
      size: 79,
      warnings: [],
    });
  });

  test('lists every problem with place, pointer and nearest name', async () => {
    const file = cli.write('bad.json', '{"policy_id":"a","version":1,\n"exec":{"denylist":[]},"x":1}');
    const { exitCode, stdout } = await cli.run(['validate', file]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'bad.json:2:9 /exec/denylist: unknown key "denylist"; did you mean "deny_list"? [POLICY_UNKNOWN_KEY]\n',
    );
    expect(stdout).toContain('not valid, 2 problems');
    const json = await cli.run(['validate', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: false,
      problems: [{ line: 2, column: 9 }, { pointer: '/x' }],
    });
  });

  test('warns of what is allowed and hardly meant', async () => {
    const file = cli.write('odd.json', {
      ...policy,
      issued_at: '2999-01-01T00:00:00Z',
      expires_at: '2999-01-02T00:00:00Z',
      exec: { remediate: true, allow_list: [] },
      a2a: { enable: false, remediate: true },
    });
    const { exitCode, stdout } = await cli.run(['validate', file, '--json']);
    expect(exitCode).toBe(0);
    const { warnings }: { warnings: { pointer: string }[] } = JSON.parse(stdout);
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/a2a', '/issued_at', '/exec/allow_list']);
  });

  test('PL-03: warns of a policy that has expired', async () => {
    const file = cli.write('old.json', { ...policy, expires_at: '2020-01-01T00:00:00Z' });
    const { exitCode, stdout } = await cli.run(['validate', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning: /expires_at: the policy expired at 2020-01-01T00:00:00Z\n');
  });

  test('spells out what could steer the terminal, and names a file that is not there', async () => {
    const file = cli.write('esc.json', '{"\\u001b[31m":1}');
    expect((await cli.run(['validate', file])).stdout).not.toContain('\u001b');
    expect(await cli.run(['validate', cli.path('absent.json')])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error FILE_UNREADABLE: cannot read .*absent\.json/),
    });
  });
});

describe('ucp-policy init', () => {
  test.each(['observe', 'enforce', 'locked-down', 'mcp-server', 'agent'])(
    'writes a valid %s policy',
    async (template) => {
      const out = cli.path(`${template}.json`);
      expect(await cli.run(['init', '--template', template, '--policy-id', 'mine', '--out', out])).toMatchObject({
        exitCode: 0,
      });
      expect(JSON.parse(cli.read(`${template}.json`))).toMatchObject({
        $schema: expect.stringMatching(/^https:.*policy\.schema\.json$/),
        policy_id: 'mine',
        version: 1,
      });
      expect((await cli.run(['validate', out])).exitCode).toBe(0);
      expect(await cli.run(['init', '--out', out])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('POLICY_FILE_EXISTS'),
      });
      expect((await cli.run(['init', '--out', out, '--force'])).exitCode).toBe(0);
    },
  );

  test('names the templates there are', async () => {
    const { exitCode, stderr } = await cli.run(['init', '--template', 'nope']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/locked-down/);
  });

  test('says when it cannot write', async () => {
    const { exitCode, stderr } = await cli.run(['init', '--out', cli.path('no/such/dir.json')]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('POLICY_FILE_UNWRITABLE');
  });
});

describe('ucp-policy normalize', () => {
  test('prints the canonical document, and on stderr what it decided', async () => {
    const file = cli.write('brace.json', {
      brace: { exec: { enable: true, remediate: true, explicit_deny_list: true, match_list: ['/usr/bin/date'] } },
    });
    const { exitCode, stdout, stderr } = await cli.run([
      'normalize',
      file,
      '--policy-id',
      'b',
      '--policy-version',
      '7',
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      policy_id: 'b',
      version: 7,
      exec: { enable: true, remediate: true, deny_list: ['/usr/bin/date'] },
    });
    expect(stderr).toContain(
      '/brace/exec/match_list -> /exec/deny_list: explicit_deny_list is true: the list denies\n',
    );
    expect((await cli.run(['validate', cli.write('canonical.json', stdout)])).exitCode).toBe(0);
  });

  test('refuses ambiguity, every one of them', async () => {
    const file = cli.write('both.json', { ...policy, mcp: {}, js_sensor: { mcp: {} }, exec: { match_list: [] } });
    const { exitCode, stdout, stderr } = await cli.run(['normalize', file]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.match(/POLICY_LAYOUT_AMBIGUOUS/g)?.length).toBeGreaterThanOrEqual(2);
    expect((await cli.run(['normalize', file, '--policy-version', 'x'])).exitCode).toBe(2);
  });
});

describe('ucp-policy keygen, sign, verify', () => {
  test('make a pair that nobody else may read, sign with it and verify', async () => {
    const file = cli.write('signed.json', policy);
    const key = cli.path('key');
    expect((await cli.run(['keygen', '--out', key])).exitCode).toBe(0);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(await cli.run(['keygen', '--out', key])).toMatchObject({ exitCode: 1 });
    expect((await cli.run(['sign', file, '--key', key])).exitCode).toBe(0);
    const verify = ['verify', file, '--signature', `${file}.sig`, '--key', `${key}.pub`];
    const verified = await cli.run([...verify, '--json']);
    expect(verified.exitCode).toBe(0);
    const { key_id: pin }: { key_id: string } = JSON.parse(verified.stdout);
    expect((await cli.run([...verify, '--pin', pin])).exitCode).toBe(0);
    expect((await cli.run([...verify, '--pin', '0'.repeat(64)])).stderr).toContain('POLICY_KEY_PIN_MISMATCH');
    cli.write('signed.json', `${JSON.stringify(policy)} `);
    expect(await cli.run(verify)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('POLICY_SIGNATURE_INVALID'),
    });
  });

  test.each(['p256', 'p384', 'rsa'])('work with %s, in base64, with a key from the environment', async (type) => {
    const file = cli.write(`${type}.json`, policy);
    const key = cli.path(`key-${type}`);
    await cli.run(['keygen', '--out', key, '--type', type]);
    const env = { UCP_SIGNING_KEY: cli.read(`key-${type}`) };
    expect((await cli.run(['sign', file, '--base64'], env)).exitCode).toBe(0);
    expect(cli.read(`${type}.json.sig`)).toMatch(/^[A-Za-z0-9+/=]+\n$/);
    expect((await cli.run(['verify', file, '--key', `${key}.pub`])).exitCode).toBe(0);
  });

  test('never print a private key, and open an encrypted one with its passphrase', async () => {
    const env = { UCP_KEY_PASSPHRASE: 'open sesame' };
    const [file, key] = [cli.write('enc.json', policy), cli.path('enc-key')];
    const outputs = [
      await cli.run(['keygen', '--out', key], env),
      await cli.run(['sign', file, '--key', key], env),
      await cli.run(['sign', file, '--key', key]),
      await cli.run(['sign', file, '--key', `${key}.pub`]),
      await cli.run(['verify', file, '--key', key]),
      await cli.run(['sign', file]),
    ];
    expect(cli.read('enc-key')).toContain('ENCRYPTED');
    expect(outputs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 1, 1, 1, 2]);
    expect(JSON.stringify(outputs)).not.toMatch(/BEGIN|sesame/);
    expect(outputs.map(({ stderr }) => /error (\w+)/.exec(stderr)?.[1])).toEqual([
      undefined,
      undefined,
      'POLICY_KEY_UNUSABLE',
      'POLICY_KEY_NOT_PRIVATE',
      'POLICY_KEY_NOT_PUBLIC',
      'USAGE',
    ]);
  });

  test('sign what is not valid too, with a warning', async () => {
    const file = cli.write('invalid.json', '{}');
    await cli.run(['keygen', '--out', cli.path('k2')]);
    expect(await cli.run(['sign', file, '--key', cli.path('k2')])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('not a valid policy'),
    });
  });
});

describe('ucp-policy schema', () => {
  test('prints a JSON Schema', async () => {
    const { exitCode, stdout } = await cli.run(['schema']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'UCP policy', additionalProperties: false });
  });
});
