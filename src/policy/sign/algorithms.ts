import { constants, type KeyObject } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';

export const HASHES = ['sha256', 'sha384'] as const;
export type Hash = (typeof HASHES)[number];

/** What a key can do; it decides the algorithm, never the signature file. */
export type KeyKind = 'ed25519' | 'p256' | 'p384' | 'rsa' | 'rsa-pss';

/** One way of signing, as `node:crypto` wants it. */
export interface Algorithm {
  /** null: the algorithm hashes by itself (Ed25519). */
  readonly hash: Hash | null;
  readonly padding?: number;
  readonly saltLength?: number;
  readonly dsaEncoding?: 'der';
}

const CURVES: Readonly<Record<string, KeyKind>> = { prime256v1: 'p256', secp384r1: 'p384' };

const LEAST_RSA_BITS = 2048;

/** The kind of a key; POLICY_KEY_UNUSABLE for one that is not accepted. */
export function kindOf(key: KeyObject): KeyKind {
  const type = key.asymmetricKeyType;
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (type === 'ed25519') return 'ed25519';
  const curve = CURVES[namedCurve ?? ''];
  if (type === 'ec' && curve !== undefined) return curve;
  if ((type === 'rsa' || type === 'rsa-pss') && modulusLength >= LEAST_RSA_BITS) return type;
  const got = [type, namedCurve, modulusLength === 0 ? undefined : `${modulusLength} bits`].filter(Boolean).join(' ');
  throw new UcpError(
    'POLICY_KEY_UNUSABLE',
    `expected a key of Ed25519, ECDSA P-256 or P-384, or RSA with at least ${LEAST_RSA_BITS} bits, got ${got}`,
  );
}

const ecdsa = (hash: Hash): Algorithm => ({ hash, dsaEncoding: 'der' });
const pkcs1 = (hash: Hash): Algorithm => ({ hash, padding: constants.RSA_PKCS1_PADDING });
const pss = (hash: Hash, saltLength: number): Algorithm => ({
  hash,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength,
});

const anyPss = HASHES.map((hash) => pss(hash, constants.RSA_PSS_SALTLEN_AUTO));

/** Every algorithm in which a signature by a key of that kind is accepted. */
export const ACCEPTED: Readonly<Record<KeyKind, readonly Algorithm[]>> = {
  ed25519: [{ hash: null }],
  p256: HASHES.map(ecdsa),
  p384: HASHES.map(ecdsa),
  rsa: [...HASHES.map(pkcs1), ...anyPss],
  'rsa-pss': anyPss,
};

/** What a signer may choose; absent: SHA-256, which cosign expects of every key; PKCS #1 v1.5 for RSA keys not made for PSS. */
export interface SigningChoice {
  readonly hash?: Hash | undefined;
  readonly padding?: 'pkcs1' | 'pss' | undefined;
}

/** The algorithm that such a key signs with. */
export function signingAlgorithm(kind: KeyKind, choice: SigningChoice): Algorithm {
  if (kind === 'ed25519') return { hash: null };
  const hash = choice.hash ?? 'sha256';
  if (kind === 'p256' || kind === 'p384') return ecdsa(hash);
  const padding = choice.padding ?? (kind === 'rsa-pss' ? 'pss' : 'pkcs1');
  return padding === 'pss' ? pss(hash, constants.RSA_PSS_SALTLEN_DIGEST) : pkcs1(hash);
}
