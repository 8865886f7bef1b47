import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PolicyCli } from './testing.ts';

let cli: PolicyCli;
beforeAll(() => {
  cli = new PolicyCli();
});
afterAll(() => cli[Symbol.dispose]());

const policy = { policy_id: 'test', version: 3, exec: { enable: true, deny_list: ['**/curl'] } };

/** A signed policy of that version. */
const signed = async (version: number, key: string): Promise<string> => {
  const file = cli.write('policy.json', { ...policy, version });
  await cli.run(['sign', file, '--key', key]);
  return file;
};

describe('ucp-policy publish', () => {
  test('writes the three files, says what config.yaml needs, and refuses what is not newer', async () => {
    const key = cli.path('pk');
    await cli.run(['keygen', '--out', key]);
    const target = pathToFileURL(cli.path('bucket')).href;
    const publish = async (version: number) =>
      cli.run(['publish', await signed(version, key), target, '--key', `${key}.pub`, '--settle', '0']);
    const first = await publish(1);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /published version 1\n.*policy_sig: policy\.json\.sig\n.*public_key: file:.*pk\.pem\n/s,
    );
    expect((await publish(1)).stdout).toContain('version 1 is there already');
    expect((await publish(2)).stdout).toContain('published version 2, was 1');
    expect(await publish(1)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('POLICY_NOT_NEWER') });
    const there = cli.path('bucket/policy.json');
    expect((await cli.run(['verify', there, '--key', cli.path('bucket/pk.pem')])).exitCode).toBe(0);
  });

  test('refuses malformed targets, names and times', async () => {
    const key = cli.path('pk2');
    await cli.run(['keygen', '--out', key]);
    const file = await signed(1, key);
    const publish = (...args: string[]) => cli.run(['publish', file, ...args, '--key', `${key}.pub`]);
    expect(await publish('/tmp')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('POLICY_PUBLISH_TARGET'),
    });
    expect(await publish('file:///tmp/', '--name', '../x')).toMatchObject({ exitCode: 2 });
    expect(await publish('file:///tmp/', '--name', 'x', '--key-name', 'x')).toMatchObject({ exitCode: 2 });
    expect(await publish('file:///tmp/', '--settle', 'soon')).toMatchObject({ exitCode: 2 });
  });
});
