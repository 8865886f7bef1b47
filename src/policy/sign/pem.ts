import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';
import { kindOf, type KeyKind } from './algorithms.ts';
import { fingerprint } from './fingerprint.ts';

export interface PublicKey {
  readonly key: KeyObject;
  readonly kind: KeyKind;
  /** `sha256:<hex>` of its SubjectPublicKeyInfo. */
  readonly keyId: string;
}

const MAX_PEM_BYTES = 64 * 1024;
const MAX_KEYS = 16;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----)[^])*-----END \1-----/g;

/**
 * The public keys of a PEM file, which may hold several (rotation). A certificate or a private key among them is
 * POLICY_KEY_NOT_PUBLIC: what a bucket serves as a public key must be nothing else.
 */
export function readPublicKeys(pem: string | Uint8Array): PublicKey[] {
  const blocks = pemBlocks(pem);
  const keys = blocks.map(({ label, text }) => {
    if (label.endsWith('PRIVATE KEY')) throw notPublic('a private key');
    if (label.includes('CERTIFICATE')) throw notPublic('a certificate');
    const key = attempt(() => createPublicKey(text), `a PEM block "${label}" that holds no public key`);
    return { key, kind: kindOf(key), keyId: fingerprint(key) };
  });
  if (keys.length === 0) {
    throw new UcpError('POLICY_KEY_UNUSABLE', 'expected a PEM file with "-----BEGIN PUBLIC KEY-----", got none');
  }
  return keys;
}

/** The private key of a PEM file. `passphrase` opens an encrypted one. */
export function readPrivateKey(pem: string | Uint8Array, passphrase?: string): KeyObject {
  const [block] = pemBlocks(pem).filter(({ label }) => label !== 'EC PARAMETERS');
  if (block === undefined) {
    throw new UcpError('POLICY_KEY_UNUSABLE', 'expected a PEM file with "-----BEGIN PRIVATE KEY-----", got none');
  }
  if (!block.label.endsWith('PRIVATE KEY')) {
    const what = block.label.includes('CERTIFICATE') ? 'a certificate' : 'a public key';
    throw new UcpError('POLICY_KEY_NOT_PRIVATE', `expected a private key, got ${what}`);
  }
  const key = attempt(
    () => createPrivateKey({ key: block.text, ...(passphrase === undefined ? {} : { passphrase }) }),
    block.label.startsWith('ENCRYPTED') || block.text.includes('ENCRYPTED')
      ? 'an encrypted one that the passphrase does not open (set UCP_KEY_PASSPHRASE)'
      : "one that can't be read",
  );
  kindOf(key);
  return key;
}

function pemBlocks(pem: string | Uint8Array): { label: string; text: string }[] {
  if (pem.length > MAX_PEM_BYTES) {
    throw new UcpError(
      'POLICY_KEY_UNUSABLE',
      `expected a PEM file of at most ${MAX_PEM_BYTES} bytes, got ${pem.length}`,
    );
  }
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
  const blocks = [...text.matchAll(BLOCK)].map((match) => ({ label: match[1] ?? '', text: match[0] }));
  if (blocks.length > MAX_KEYS) {
    throw new UcpError('POLICY_KEY_UNUSABLE', `expected at most ${MAX_KEYS} keys, got ${blocks.length}`);
  }
  return blocks;
}

function attempt(read: () => KeyObject, got: string): KeyObject {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof UcpError) throw cause;
    throw new UcpError('POLICY_KEY_UNUSABLE', `expected a key in PEM, got ${got}`, { cause });
  }
}

function notPublic(what: string): UcpError {
  return new UcpError('POLICY_KEY_NOT_PUBLIC', `expected a public key in PEM, got ${what}`);
}
