import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import { generateKey } from '../sign/generate.ts';
import { readPrivateKey } from '../sign/pem.ts';
import { signDetached } from '../sign/sign.ts';
import { verifyDetached } from '../sign/verify.ts';
import { codeOf } from '../testing.ts';
import { FileStore } from './file-store.ts';
import type { ObjectStore, Precondition } from './object-store.ts';
import { type Package, publish } from './publish.ts';
import { openStore } from './target.ts';

const names = { policy: 'policy.json', signature: 'policy.json.sig', publicKey: 'key.pem' };
const settle = () => Promise.resolve();
const keys = [generateKey('ed25519'), generateKey('p256')] as const;

function signed(version: number, key: { privatePem: string; publicPem: string } = keys[0]): Package {
  const policy = Buffer.from(JSON.stringify({ policy_id: 'p', version }));
  const { signature } = signDetached(policy, readPrivateKey(key.privatePem));
  return { policy, signature, publicKey: Buffer.from(key.publicPem) };
}

const verifies = ({ policy, signature, publicKey }: Package): boolean =>
  codeOf(() => verifyDetached({ bytes: policy, signature, pem: publicKey })) === undefined;

/** A directory that remembers what a reader could have found after each write, and can fail at one. */
class Watched implements ObjectStore {
  readonly #store: FileStore;
  readonly #directory: string;
  readonly seen: Package[] = [];
  failAt: number | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#store = new FileStore(directory);
  }
  get url(): string {
    return this.#store.url;
  }
  get(...args: Parameters<FileStore['get']>): ReturnType<FileStore['get']> {
    return this.#store.get(...args);
  }
  async put(name: string, bytes: Uint8Array, precondition?: Precondition): Promise<void> {
    if (this.seen.length === this.failAt) throw new UcpError('POLICY_STORE_FAILED', 'no');
    await this.#store.put(name, bytes, precondition);
    this.seen.push(this.now());
  }
  now(): Package {
    const file = (name: string) => {
      try {
        return readFileSync(join(this.#directory, name));
      } catch {
        return Buffer.alloc(0);
      }
    };
    return { policy: file(names.policy), signature: file(names.signature), publicKey: file(names.publicKey) };
  }
}

describe('publish', () => {
  let directory: string;
  let store: Watched;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ucp-publish-'));
    store = new Watched(directory);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('writes key, signature and policy, and does nothing when they are there', async () => {
    expect(await publish(store, names, signed(1), settle)).toEqual({
      unchanged: false,
      keyId: keys[0].keyId,
      version: 1,
    });
    expect(store.now()).toEqual(signed(1));
    store.failAt = store.seen.length;
    expect(await publish(store, names, signed(1), settle)).toMatchObject({ unchanged: true, previous: 1 });
  });

  test.each([
    ['the same key', keys[0]],
    ['another key', keys[1]],
  ])('never shows a mixed pair, not even to a reader that reads between the writes, with %s', async (_, key) => {
    await publish(store, names, signed(1), settle);
    const moments = [store.now()];
    const [old, next] = [signed(1), signed(2, key)];
    store.seen.length = 0;
    let settled = 0;
    await publish(store, names, next, () => {
      settled = store.seen.length + 1;
      return Promise.resolve();
    });
    moments.push(...store.seen);
    expect(store.now()).toEqual(next);
    expect(moments.map(verifies)).toEqual(moments.map(() => true));
    // A reader that begins at one moment and reads the rest at a later one, as long as it is done before things settle.
    for (const [first, { policy }] of moments.entries()) {
      const last = Buffer.compare(policy, old.policy) === 0 ? settled : moments.length;
      for (const { signature, publicKey } of moments.slice(first, last)) {
        expect(verifies({ policy, signature, publicKey })).toBe(true);
      }
    }
  });

  test('leaves what verifies, whichever write fails, and can be done again', async () => {
    for (let failing = 0; failing < 5; failing += 1) {
      rmSync(directory, { recursive: true });
      store = new Watched(directory);
      await publish(store, names, signed(1), settle);
      store.seen.length = 0;
      store.failAt = failing;
      await expect(publish(store, names, signed(2, keys[1]), settle)).rejects.toMatchObject({
        code: 'POLICY_STORE_FAILED',
      });
      expect(verifies(store.now())).toBe(true);
      store.failAt = undefined;
      await publish(store, names, signed(2, keys[1]), settle);
      expect(store.now().policy).toEqual(signed(2).policy);
      expect(verifies(store.now())).toBe(true);
    }
  });

  test('PL-03: refuses an older version, and the same one with other content', async () => {
    await publish(store, names, signed(5), settle);
    const other = Buffer.from(JSON.stringify({ policy_id: 'p', version: 5, exec: {} }));
    const { signature } = signDetached(other, readPrivateKey(keys[0].privatePem));
    for (const next of [signed(4), { ...signed(5), policy: other, signature }]) {
      await expect(publish(store, names, next, settle)).rejects.toMatchObject({ code: 'POLICY_NOT_NEWER' });
    }
    expect(store.now()).toEqual(signed(5));
  });

  test('exchanges signature and key of the same policy', async () => {
    await publish(store, names, signed(1), settle);
    expect(await publish(store, names, signed(1, keys[1]), settle)).toMatchObject({ keyId: keys[1].keyId });
    expect(verifies(store.now())).toBe(true);
  });

  test('refuses what its readers would refuse', async () => {
    const invalid = Buffer.from('{"policy_id":"p","version":1,"exce":{}}');
    const { signature } = signDetached(invalid, readPrivateKey(keys[0].privatePem));
    const tries: [Package, string][] = [
      [{ ...signed(1), policy: invalid, signature }, 'POLICY_INVALID'],
      [{ ...signed(1), publicKey: Buffer.from(keys[1].publicPem) }, 'POLICY_SIGNATURE_INVALID'],
      [{ ...signed(1), publicKey: Buffer.from(keys[0].privatePem) }, 'POLICY_KEY_NOT_PUBLIC'],
    ];
    for (const [next, code] of tries) {
      await expect(publish(store, names, next, settle)).rejects.toMatchObject({ code });
    }
    expect(store.seen).toEqual([]);
  });

  test('stops when somebody else publishes meanwhile, or when what is there is no policy', async () => {
    await publish(store, names, signed(1), settle);
    const racing: ObjectStore = {
      url: store.url,
      get: (...args) => store.get(...args),
      async put(name, bytes, precondition) {
        if (name === names.policy) writeFileSync(join(directory, name), signed(3).policy);
        await store.put(name, bytes, precondition);
      },
    };
    await expect(publish(racing, names, signed(2), settle)).rejects.toMatchObject({ code: 'POLICY_PUBLISH_CONFLICT' });
    writeFileSync(join(directory, names.policy), 'garbage');
    await expect(publish(store, names, signed(9), settle)).rejects.toMatchObject({ code: 'POLICY_PUBLISH_CONFLICT' });
  });

  test('names a place that can’t be written', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    await expect(new FileStore(file).put('x', Buffer.from('x'))).rejects.toMatchObject({ code: 'POLICY_STORE_FAILED' });
    await expect(new FileStore(directory).get('file', { maxBytes: -1 })).rejects.toMatchObject({
      code: 'POLICY_TOO_LARGE',
    });
  });
});

describe('a place to publish to', () => {
  test('is a directory or a bucket', async () => {
    const directory = pathToFileURL(tmpdir()).href;
    expect((await openStore(directory, {})).url).toBe(`${directory}/`);
    expect((await openStore('s3://eu-west-1@my-bucket/a/b', {})).url).toBe('s3://my-bucket/a/b/');
    expect((await openStore('s3://my-bucket', { region: 'eu-west-1' })).url).toBe('s3://my-bucket/');
  });

  test.each(['https://x/', 's3://', 's3://A_b/', '/tmp', 'file://host/x', ''])('is not %j', async (target) => {
    await expect(openStore(target, {})).rejects.toMatchObject({ code: 'POLICY_PUBLISH_TARGET' });
  });
});
