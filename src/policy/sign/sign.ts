import { createPublicKey, type KeyObject, sign } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';
import { kindOf, type KeyKind, signingAlgorithm, type SigningChoice } from './algorithms.ts';
import { fingerprint } from './fingerprint.ts';

export interface Signed {
  /** Raw: what `openssl dgst -verify` and `openssl pkeyutl -verify` take. */
  readonly signature: Uint8Array;
  readonly kind: KeyKind;
  readonly keyId: string;
}

/** Signs `bytes`; the key decides the algorithm, `choice` the hash and RSA's padding. */
export function signDetached(bytes: Uint8Array, key: KeyObject, choice: SigningChoice = {}): Signed {
  const kind = kindOf(key);
  if (kind === 'rsa-pss' && choice.padding === 'pkcs1') {
    throw new UcpError(
      'POLICY_KEY_UNUSABLE',
      'This RSA key is made for PSS; it signs no other way. Leave out the padding.',
    );
  }
  const { hash, ...how } = signingAlgorithm(kind, choice);
  const signature = sign(hash, bytes, { key, ...how });
  return { signature, kind, keyId: fingerprint(createPublicKey(key)) };
}
