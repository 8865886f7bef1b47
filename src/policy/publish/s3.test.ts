import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { S3Store } from './s3.ts';

type Answer = [status: number, headers: Record<string, string>, body: Buffer | string];

function error(status: number, code: string): Answer {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return [status, { 'content-type': 'application/xml' }, body];
}

/** The part of S3's protocol that publishing needs: GET and PUT with preconditions, path-style. */
class FakeS3 {
  readonly objects = new Map<string, Buffer>();
  readonly #server: Server;
  /** Answers every request with this status. */
  broken: number | undefined;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const [status, headers, body] = this.#answer(
          request.method,
          request.url ?? '',
          request.headers,
          Buffer.concat(chunks),
        );
        response.writeHead(status, headers).end(body);
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(
    method: string | undefined,
    url: string,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: Buffer,
  ): Answer {
    if (this.broken !== undefined) return error(this.broken, 'AccessDenied');
    const key = url.replace(/\?.*$/, '');
    const found = this.objects.get(key);
    const etag = found === undefined ? undefined : `"${createHash('md5').update(found).digest('hex')}"`;
    if (method === 'PUT') {
      const wanted = headers['if-match'];
      if (wanted !== undefined && wanted !== etag) return error(412, 'PreconditionFailed');
      if (headers['if-none-match'] === '*' && found !== undefined) return error(412, 'PreconditionFailed');
      this.objects.set(key, body);
      return [200, {}, ''];
    }
    if (found === undefined || etag === undefined) return error(404, 'NoSuchKey');
    return headers['if-none-match'] === etag ? [304, {}, ''] : [200, { etag }, found];
  }
}

describe('an S3 bucket', () => {
  const fake = new FakeS3();
  let endpoint: string;
  let store: S3Store;
  beforeAll(async () => {
    endpoint = await fake.listen();
  });
  afterAll(() => fake.close());
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
    fake.objects.clear();
    fake.broken = undefined;
    store = new S3Store({ bucket: 'bucket', prefix: 'a/', region: 'eu-west-1', endpoint });
  });

  test('gives back what was put, and says when it is unchanged or not there', async () => {
    expect(await store.get('policy.json', { maxBytes: 100 })).toBe(undefined);
    await store.put('policy.json', Buffer.from('one'), null);
    expect([...fake.objects.keys()]).toEqual(['/bucket/a/policy.json']);
    const found = await store.get('policy.json', { maxBytes: 100 });
    expect(found).toEqual({ bytes: Buffer.from('one'), etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
    const etag = typeof found === 'object' ? found.etag : '';
    expect(await store.get('policy.json', { maxBytes: 100, ifNoneMatch: etag })).toBe('unchanged');
    await store.put('policy.json', Buffer.from('two'), etag);
    await store.put('policy.json', Buffer.from('three'));
  });

  test('refuses a write whose precondition fails', async () => {
    await store.put('policy.json', Buffer.from('one'), null);
    for (const precondition of [null, '"other"']) {
      await expect(store.put('policy.json', Buffer.from('two'), precondition)).rejects.toMatchObject({
        code: 'POLICY_PUBLISH_CONFLICT',
      });
    }
  });

  test('is read only as far as was asked', async () => {
    await store.put('policy.json', Buffer.alloc(1000));
    await expect(store.get('policy.json', { maxBytes: 999 })).rejects.toMatchObject({ code: 'POLICY_TOO_LARGE' });
  });

  test.each([
    [403, false],
    [503, true],
  ])('says when it answers %i, and whether to try again', async (status, retryable) => {
    fake.broken = status;
    const failure = { code: 'POLICY_STORE_FAILED', details: { status, retryable } };
    await expect(store.get('policy.json', { maxBytes: 1 })).rejects.toMatchObject(failure);
    await expect(store.put('policy.json', Buffer.from('x'))).rejects.toMatchObject(failure);
  });

  test('says when nobody answers', async () => {
    const nobody = new S3Store({ bucket: 'b', prefix: '', region: 'eu-west-1', endpoint: 'http://127.0.0.1:1' });
    await expect(nobody.get('x', { maxBytes: 1 })).rejects.toMatchObject({
      code: 'POLICY_STORE_FAILED',
      details: { status: undefined, retryable: true },
    });
  });
});
