import { createPrivateKey, generateKeyPairSync } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { codeOf } from '../testing.ts';
import { fingerprint, parsePin } from './fingerprint.ts';
import { generateKey, KEY_TYPES } from './generate.ts';
import { readPrivateKey } from './pem.ts';
import { signDetached } from './sign.ts';
import { writeSignatures } from './signature-file.ts';
import { verifyDetached } from './verify.ts';

const bytes = Buffer.from('{"policy_id":"a","version":1}\n');
const [key, other] = [generateKey('ed25519'), generateKey('p256')];
const sign = (pem: string, data: Uint8Array = bytes) => signDetached(data, readPrivateKey(pem)).signature;
const signature = sign(key.privatePem);
const base64 = Buffer.from(`${Buffer.from(signature).toString('base64')}\n`);
const read = (pem: string) => codeOf(() => verifyDetached({ bytes, signature, pem }));

describe('a detached signature', () => {
  test.each(KEY_TYPES)('by %s is accepted, raw, base64 and wrapped base64, and names its key', (type) => {
    const made = generateKey(type);
    const raw = sign(made.privatePem);
    const text = Buffer.from(raw).toString('base64');
    const wrapped = text.replaceAll(/.{64}/g, '$&\n');
    for (const file of [raw, Buffer.from(text), Buffer.from(`${text}\n`), Buffer.from(`${wrapped}\r\n`)]) {
      expect(verifyDetached({ bytes, signature: file, pem: made.publicPem })).toEqual({ keyId: made.keyId });
    }
  });

  test.each([
    ['sha256', 'pkcs1'],
    ['sha384', 'pkcs1'],
    ['sha256', 'pss'],
    ['sha384', 'pss'],
  ] as const)('by RSA with %s and %s is accepted', (hash, padding) => {
    const made = generateKey('rsa');
    const raw = signDetached(bytes, readPrivateKey(made.privatePem), { hash, padding }).signature;
    expect(verifyDetached({ bytes, signature: raw, pem: made.publicPem }).keyId).toBe(made.keyId);
  });

  test('by a key made for PSS with one hash is accepted with that hash only', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', {
      modulusLength: 2048,
      hashAlgorithm: 'sha256',
      mgf1HashAlgorithm: 'sha256',
    });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(verifyDetached({ bytes, signature: signDetached(bytes, privateKey).signature, pem }).keyId).toMatch(
      /^sha256:/,
    );
    expect(codeOf(() => signDetached(bytes, privateKey, { padding: 'pkcs1' }))).toBe('POLICY_KEY_UNUSABLE');
  });

  test('PL-01: is refused over other bytes, by another key, truncated, empty or doubled', () => {
    const refused = (file: Uint8Array, data: Uint8Array = bytes, pem = key.publicPem) =>
      codeOf(() => verifyDetached({ bytes: data, signature: file, pem }));
    expect(refused(signature, Buffer.concat([bytes, Buffer.from(' ')]))).toBe('POLICY_SIGNATURE_INVALID');
    expect(refused(signature, Buffer.concat([Buffer.from('\ufeff'), bytes]))).toBe('POLICY_SIGNATURE_INVALID');
    expect(refused(signature, bytes, other.publicPem)).toBe('POLICY_SIGNATURE_INVALID');
    expect(refused(sign(key.privatePem, Buffer.from('{}')))).toBe('POLICY_SIGNATURE_INVALID');
    expect(refused(Buffer.concat([signature, signature]))).toBe('POLICY_SIGNATURE_INVALID');
    expect(refused(signature.subarray(0, 63))).toBe('POLICY_SIGNATURE_INVALID');
    expect(refused(signature.subarray(0, 20))).toBe('POLICY_SIGNATURE_MALFORMED');
    expect(refused(Buffer.alloc(0))).toBe('POLICY_SIGNATURE_MALFORMED');
    expect(refused(Buffer.alloc(20_000, 65))).toBe('POLICY_SIGNATURE_MALFORMED');
  });

  test.each([
    ['ed25519', 'raw'],
    ['ed25519', 'base64'],
    ['p256', 'raw'],
    ['p256', 'base64'],
    ['p384', 'raw'],
    ['rsa', 'raw'],
  ] as const)('PL-01: by %s (%s) with any one bit changed is refused', (type, form) => {
    const made = generateKey(type);
    const raw = sign(made.privatePem);
    const file = form === 'raw' ? raw : Buffer.from(`${Buffer.from(raw).toString('base64')}\n`);
    const accepted: number[] = [];
    for (let bit = 0; bit < file.length * 8; bit += 1) {
      const changed = Buffer.from(file);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (codeOf(() => verifyDetached({ bytes, signature: changed, pem: made.publicPem })) === undefined)
        accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  test('may stand in a file beside another one, and its key in a PEM file beside another one', () => {
    const both = writeSignatures([sign(other.privatePem), signature]);
    const keys = `${other.publicPem}${key.publicPem}`;
    expect(verifyDetached({ bytes, signature: both, pem: key.publicPem }).keyId).toBe(key.keyId);
    expect(verifyDetached({ bytes, signature: base64, pem: Buffer.from(keys) }).keyId).toBe(key.keyId);
    expect(verifyDetached({ bytes, signature: both, pem: keys, pin: key.keyId }).keyId).toBe(key.keyId);
  });

  test('is refused when the pinned key is not there, or is there and did not make it', () => {
    const pinned = (pin: string) =>
      codeOf(() => verifyDetached({ bytes, signature, pem: `${other.publicPem}${key.publicPem}`, pin }));
    expect(pinned(`sha256:${'0'.repeat(64)}`)).toBe('POLICY_KEY_PIN_MISMATCH');
    expect(pinned(other.keyId)).toBe('POLICY_SIGNATURE_INVALID');
    expect(pinned('1234')).toBe('POLICY_PIN_MALFORMED');
  });

  test('needs a public key: a private key, a certificate or nothing is named as what it is', () => {
    expect(read(key.privatePem)).toBe('POLICY_KEY_NOT_PUBLIC');
    expect(read(`${key.publicPem}${key.privatePem}`)).toBe('POLICY_KEY_NOT_PUBLIC');
    expect(read('-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----')).toBe('POLICY_KEY_NOT_PUBLIC');
    expect(read('-----BEGIN PUBLIC KEY-----\nMA==\n-----END PUBLIC KEY-----')).toBe('POLICY_KEY_UNUSABLE');
    expect(read('')).toBe('POLICY_KEY_UNUSABLE');
    expect(read(key.publicPem.repeat(17))).toBe('POLICY_KEY_UNUSABLE');
    expect(read('-'.repeat(100_000))).toBe('POLICY_KEY_UNUSABLE');
  });

  test.each([
    ['RSA of 1024 bits', () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey],
    ['secp256k1', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey],
    ['Ed448', () => generateKeyPairSync('ed448').publicKey],
    ['X25519', () => generateKeyPairSync('x25519').publicKey],
  ])('by %s is not accepted', (_, make) => {
    const pem = make().export({ type: 'spki', format: 'pem' }).toString();
    expect(codeOf(() => verifyDetached({ bytes, signature, pem }))).toBe('POLICY_KEY_UNUSABLE');
  });
});

describe('a private key', () => {
  test('may be encrypted', () => {
    const { privatePem } = generateKey('ed25519', 'secret');
    expect(readPrivateKey(privatePem, 'secret').type).toBe('private');
    expect(codeOf(() => readPrivateKey(privatePem))).toBe('POLICY_KEY_UNUSABLE');
    expect(codeOf(() => readPrivateKey(privatePem, 'wrong'))).toBe('POLICY_KEY_UNUSABLE');
  });

  test('is not a public key, a certificate or nothing', () => {
    expect(codeOf(() => readPrivateKey(key.publicPem))).toBe('POLICY_KEY_NOT_PRIVATE');
    expect(codeOf(() => readPrivateKey('hello'))).toBe('POLICY_KEY_UNUSABLE');
    expect(
      codeOf(() => readPrivateKey(createPrivateKey(key.privatePem).export({ type: 'pkcs8', format: 'pem' }))),
    ).toBe(undefined);
  });
});

describe('a pin', () => {
  test('is read with and without prefix and colons', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const id = fingerprint(publicKey);
    const hex = id.slice('sha256:'.length);
    expect([id, hex, hex.toUpperCase().replaceAll(/(..)(?!$)/g, '$1:')].map(parsePin)).toEqual([id, id, id]);
  });
});
