import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Hash } from './algorithms.ts';
import { generateKey } from './generate.ts';
import { readPrivateKey } from './pem.ts';
import { signDetached } from './sign.ts';
import { verifyDetached } from './verify.ts';

/** How `openssl genpkey` makes a key, and how `openssl dgst` signs with it. */
const WAYS = [
  ['ECDSA P-256', 'p256', ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'], []],
  ['ECDSA P-384', 'p384', ['EC', '-pkeyopt', 'ec_paramgen_curve:P-384'], []],
  ['RSA PKCS #1 v1.5', 'rsa', ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], []],
  ['RSA PSS', 'rsa', ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], ['rsa_padding_mode:pss', 'rsa_pss_saltlen:digest']],
  [
    'RSA PSS, longest salt',
    'rsa',
    ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
    ['rsa_padding_mode:pss', 'rsa_pss_saltlen:max'],
  ],
] as const;
const HASHES: readonly Hash[] = ['sha256', 'sha384'];

const openssl = (...args: string[]): string => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });

describe('openssl', () => {
  let dir: string;
  const bytes = Buffer.from('{"policy_id":"openssl","version":1}\n');
  const path = (name: string): string => join(dir, name);

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'ucp-openssl-'));
    writeFileSync(path('policy'), bytes);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  describe.each(HASHES)('with %s', (hash) => {
    test.each(WAYS)('signs with %s what we accept, and accepts what we sign', (_, type, algorithm, options) => {
      const sigopts = options.flatMap((option) => ['-sigopt', option]);
      openssl('genpkey', '-algorithm', ...algorithm, '-out', path('key'));
      openssl('pkey', '-in', path('key'), '-pubout', '-out', path('pub'));
      openssl('dgst', `-${hash}`, '-sign', path('key'), ...sigopts, '-out', path('sig'), path('policy'));
      const pem = readFileSync(path('pub'));
      expect(verifyDetached({ bytes, signature: readFileSync(path('sig')), pem }).keyId).toMatch(/^sha256:/);
      openssl('base64', '-in', path('sig'), '-out', path('sig.b64'));
      expect(verifyDetached({ bytes, signature: readFileSync(path('sig.b64')), pem }).keyId).toMatch(/^sha256:/);

      const made = generateKey(type);
      const padding = options.length > 0 ? 'pss' : undefined;
      writeFileSync(path('pub'), made.publicPem);
      writeFileSync(path('sig'), signDetached(bytes, readPrivateKey(made.privatePem), { hash, padding }).signature);
      const auto = padding === 'pss' ? ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:digest'] : [];
      const said = openssl(
        'dgst',
        `-${hash}`,
        '-verify',
        path('pub'),
        ...auto,
        '-signature',
        path('sig'),
        path('policy'),
      );
      expect(said).toBe('Verified OK\n');
    });
  });

  test('signs with Ed25519 what we accept, and accepts what we sign', () => {
    openssl('genpkey', '-algorithm', 'ED25519', '-out', path('key'));
    openssl('pkey', '-in', path('key'), '-pubout', '-out', path('pub'));
    openssl('pkeyutl', '-sign', '-rawin', '-inkey', path('key'), '-in', path('policy'), '-out', path('sig'));
    const pem = readFileSync(path('pub'));
    expect(verifyDetached({ bytes, signature: readFileSync(path('sig')), pem }).keyId).toMatch(/^sha256:/);

    const key = readPrivateKey(readFileSync(path('key')));
    writeFileSync(path('sig'), signDetached(bytes, key).signature);
    const args = ['-pubin', '-inkey', path('pub'), '-rawin', '-in', path('policy'), '-sigfile', path('sig')];
    expect(openssl('pkeyutl', '-verify', ...args)).toBe('Signature Verified Successfully\n');
  });

  test('names the key by the same SHA-256 as we do', () => {
    const made = generateKey('p256');
    writeFileSync(path('pub'), made.publicPem);
    openssl('pkey', '-pubin', '-in', path('pub'), '-outform', 'DER', '-out', path('der'));
    expect(openssl('dgst', '-sha256', '-r', path('der')).split(' ')[0]).toBe(made.keyId.slice('sha256:'.length));
  });

  test('makes certificates and private keys, which are no public keys', () => {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-noenc',
      '-keyout',
      path('key'),
      '-subj',
      '/CN=x',
      '-out',
      path('cert'),
    );
    const signature = Buffer.alloc(64);
    const read = (name: string) => verifyDetached({ bytes, signature, pem: readFileSync(path(name)) });
    expect(() => read('cert')).toThrow(/expected a public key in PEM, got a certificate/);
    expect(() => read('key')).toThrow(/expected a public key in PEM, got a private key/);
  });

  // cosign verify-blob --key: ECDSA over SHA-256 of the blob, DER, in base64 with a newline at its end.
  test('verifies what stands in a signature file of the cosign kind', () => {
    const made = generateKey('p256');
    const signature = signDetached(bytes, readPrivateKey(made.privatePem)).signature;
    writeFileSync(path('cosign.sig'), `${Buffer.from(signature).toString('base64')}\n`);
    writeFileSync(path('pub'), made.publicPem);
    openssl('base64', '-d', '-A', '-in', path('cosign.sig'), '-out', path('sig'));
    expect(openssl('dgst', '-sha256', '-verify', path('pub'), '-signature', path('sig'), path('policy'))).toBe(
      'Verified OK\n',
    );
    expect(verifyDetached({ bytes, signature: readFileSync(path('cosign.sig')), pem: made.publicPem }).keyId).toBe(
      made.keyId,
    );
  });
});
