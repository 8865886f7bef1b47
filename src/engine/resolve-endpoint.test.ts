import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import type { EndpointHost } from './endpoint.ts';
import { resolveEndpoint } from './resolve-endpoint.ts';

function host(env: Record<string, string>, files: Record<string, string> = {}): EndpointHost {
  return {
    env,
    home: '/home/u',
    read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
    exists: (path) => files[path] !== undefined,
  };
}

const id = createHash('sha256').update('lab').digest('hex');
const meta = (address: string, more: object = {}): Record<string, string> => ({
  '/home/u/.docker/config.json': '{"currentContext":"lab"}',
  [`/home/u/.docker/contexts/meta/${id}/meta.json`]: JSON.stringify({
    Endpoints: { docker: { Host: address, ...more } },
  }),
});

describe('the engine that is used', () => {
  test('is the default socket when nothing is said', () => {
    expect(resolveEndpoint(host({}))).toMatchObject({ kind: 'unix', path: '/var/run/docker.sock' });
  });

  test('is a rootless socket where only that exists', () => {
    const rootless = host({ XDG_RUNTIME_DIR: '/run/user/7' }, { '/run/user/7/docker.sock': '' });
    expect(resolveEndpoint(rootless)).toMatchObject({ path: '/run/user/7/docker.sock' });
  });

  test('is the one that DOCKER_HOST names, before the current context', () => {
    const found = resolveEndpoint(host({ DOCKER_HOST: 'tcp://10.0.0.1' }, meta('unix:///lab.sock')));
    expect(found).toEqual({ kind: 'tcp', host: '10.0.0.1', port: 2375, text: 'tcp://10.0.0.1:2375' });
  });

  test('is the one of DOCKER_CONTEXT, before DOCKER_HOST', () => {
    const files = meta('unix:///lab.sock');
    expect(resolveEndpoint(host({ DOCKER_CONTEXT: 'lab', DOCKER_HOST: 'tcp://x' }, files))).toMatchObject({
      path: '/lab.sock',
    });
    expect(resolveEndpoint(host({ DOCKER_CONTEXT: 'default' }, files))).toMatchObject({ path: '/var/run/docker.sock' });
  });

  test('is the one of the current context, with its certificates', () => {
    const files = { ...meta('tcp://lab:2376'), [`/home/u/.docker/contexts/tls/${id}/docker/ca.pem`]: 'CA' };
    expect(resolveEndpoint(host({}, files))).toMatchObject({
      host: 'lab',
      port: 2376,
      tls: { verify: true, ca: Buffer.from('CA') },
    });
  });

  test('is spoken to by TLS as DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say', () => {
    const env = { DOCKER_HOST: 'tcp://h', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/pem' };
    expect(resolveEndpoint(host(env, { '/pem/key.pem': 'K' }))).toMatchObject({
      port: 2376,
      tls: { verify: true, key: Buffer.from('K') },
    });
  });

  test.each(['ssh://me@box', 'npipe:////./pipe/docker_engine', 'fd://3', 'tcp://', 'unix://relative'])(
    'is refused by name when its address is %s',
    (address) => {
      expect(() => resolveEndpoint(host({ DOCKER_HOST: address }))).toThrow(
        expect.objectContaining({ code: 'ENGINE_ENDPOINT', message: expect.stringContaining(address) }),
      );
    },
  );

  test('is refused when the context does not exist or its file is broken', () => {
    expect(() => resolveEndpoint(host({ DOCKER_CONTEXT: 'gone' }))).toThrow(/"gone" does not exist/);
    expect(() => resolveEndpoint(host({}, { '/home/u/.docker/config.json': '{' }))).toThrow(/is not JSON/);
  });
});
