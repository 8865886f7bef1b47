import { generateKeyPairSync, type KeyObject } from 'node:crypto';

import { fingerprint } from './fingerprint.ts';

export const KEY_TYPES = ['ed25519', 'p256', 'p384', 'rsa'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

export interface GeneratedKey {
  /** PKCS #8 PEM; encrypted when a passphrase was given. */
  readonly privatePem: string;
  /** SubjectPublicKeyInfo PEM. */
  readonly publicPem: string;
  readonly keyId: string;
}

const PAIRS: Readonly<Record<KeyType, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  ed25519: () => generateKeyPairSync('ed25519'),
  p256: () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  p384: () => generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 3072 }),
};

/** A new key pair. */
export function generateKey(type: KeyType, passphrase?: string): GeneratedKey {
  const { publicKey, privateKey } = PAIRS[type]();
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyId: fingerprint(publicKey),
  };
}
