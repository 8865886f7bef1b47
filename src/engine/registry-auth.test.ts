import { expect, test } from 'vitest';

import { type DockerCredentials, registryOf, storedAuth } from './registry-auth.ts';

test.each([
  ['busybox', 'https://index.docker.io/v1/'],
  ['me/image:1', 'https://index.docker.io/v1/'],
  ['docker.io/library/busybox', 'https://index.docker.io/v1/'],
  ['localhost/x', 'localhost'],
  ['localhost:5000/x', 'localhost:5000'],
  ['ghcr.io/a/b@sha256:00', 'ghcr.io'],
])('%s comes from %s', (reference, registry) => {
  expect(registryOf(reference)).toBe(registry);
});

test('stored credentials are a user and a password that may hold colons, or a token', () => {
  const config: DockerCredentials = {
    auths: {
      'ghcr.io': { auth: Buffer.from('me:a:b').toString('base64') },
      'https://quay.io': { identitytoken: 'T' },
      'empty.io': {},
    },
  };
  expect(storedAuth(config, 'ghcr.io')).toEqual({ username: 'me', password: 'a:b', serveraddress: 'ghcr.io' });
  expect(storedAuth(config, 'quay.io')).toEqual({ identitytoken: 'T', serveraddress: 'quay.io' });
  expect(storedAuth(config, 'empty.io')).toBeUndefined();
});
