import { Readable } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { followPull, imageFacts } from './images.ts';

describe('image facts', () => {
  test('nulls of the engine become empty lists, the digest loses its repository', () => {
    const facts = imageFacts({
      Id: 'sha256:1',
      RepoDigests: ['localhost:5000/a@sha256:2'],
      Os: 'linux',
      Architecture: 'amd64',
      Config: {
        Entrypoint: null,
        Cmd: ['sh'],
        Env: null,
        Labels: null,
        Volumes: { '/data': {} },
        StopSignal: 'SIGINT',
      },
    });
    expect(facts).toEqual({
      id: 'sha256:1',
      repoDigest: 'sha256:2',
      entrypoint: [],
      cmd: ['sh'],
      env: [],
      user: '',
      workdir: '',
      labels: {},
      volumes: ['/data'],
      stopSignal: 'SIGINT',
      platform: 'linux/amd64',
    });
  });
});

describe('pull progress', () => {
  test('lines may be split anywhere', async () => {
    const text = '{"status":"Pulling","id":"a","progressDetail":{"current":1,"total":2}}\r\n{"status":"Done"}';
    const steps: unknown[] = [];
    await followPull(Readable.from([text.slice(0, 20), text.slice(20)]), (step) => steps.push(step));
    expect(steps).toEqual([{ status: 'Pulling', id: 'a', current: 1, total: 2 }, { status: 'Done' }]);
  });

  test('an error in the stream ends the pull', async () => {
    const lines = Readable.from(['{"error":"manifest unknown"}\n']);
    await expect(followPull(lines, () => undefined)).rejects.toThrow('manifest unknown');
  });
});
