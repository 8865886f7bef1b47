import { resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import { parseSecrets, writtenSecret } from './secret.ts';

describe('--secret', () => {
  test('names a secret, its place and where it comes from', () => {
    expect(parseSecrets(['a', 'b,env=B', 'c,file=/run/x/c,from=keyring', 'd,file=key,from=file:here.age'])).toEqual([
      { name: 'a', file: '/run/secrets/a' },
      { name: 'b', env: 'B' },
      { name: 'c', file: '/run/x/c', from: 'keyring' },
      { name: 'd', file: '/run/secrets/key', from: `file:${resolve('here.age')}` },
    ]);
  });

  test.each([
    ['', 'no name'],
    ['../x', 'no name'],
    ['a,env=B,file=c', 'one of both'],
    ['a,env=', 'expected'],
    ['a,env=B,env=C', 'expected'],
    ['a,to=b', 'expected'],
    ['a,env=LD_PRELOAD', 'not for secrets'],
    ['a,env=PATH', 'not for secrets'],
    ['a,env=UCP_POLICY_FILE', 'not for secrets'],
    ['a,env=A B', 'no name of a variable'],
    ['a,file=../b', 'no absolute path'],
    ['a,file=/.ucp/run/x', 'in memory'],
    ['a,file=/etc/passwd', 'in memory'],
    ['a,file=/proc/self/x', 'in memory'],
    ['a,from=vault', 'from is'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseSecrets([text])).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => parseSecrets([text])).toThrow(new RegExp(reason, 'i'));
  });

  test('refuses two of one name or place', () => {
    expect(() => parseSecrets(['a', 'a,env=B'])).toThrow(/one name or one place/);
    expect(() => parseSecrets(['a,env=B', 'c,env=B'])).toThrow(/one name or one place/);
  });

  test('is written into a definition in full', () => {
    expect(writtenSecret('a,from=keyring')).toBe('a,file=/run/secrets/a,from=keyring');
  });
});
