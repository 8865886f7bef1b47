import { verify } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';
import { ACCEPTED } from './algorithms.ts';
import { parsePin } from './fingerprint.ts';
import { type PublicKey, readPublicKeys } from './pem.ts';
import { readSignatures } from './signature-file.ts';

export interface DetachedSignature {
  /** The signed bytes, exactly. */
  readonly bytes: Uint8Array;
  /** The signature file: raw or base64. */
  readonly signature: Uint8Array;
  /** The public key file; may hold several keys. */
  readonly pem: string | Uint8Array;
  /** SHA-256 of the key's SubjectPublicKeyInfo: only this key of the file counts. */
  readonly pin?: string | undefined;
}

/**
 * Verifies a detached signature and tells which key made it (`sha256:<hex>` of its SubjectPublicKeyInfo). Throws
 * POLICY_SIGNATURE_INVALID, POLICY_SIGNATURE_MALFORMED, POLICY_KEY_UNUSABLE, POLICY_KEY_NOT_PUBLIC,
 * POLICY_KEY_PIN_MISMATCH or POLICY_PIN_MALFORMED.
 */
export function verifyDetached({ bytes, signature, pem, pin }: DetachedSignature): { keyId: string } {
  const keys = pinned(readPublicKeys(pem), pin);
  const signatures = readSignatures(signature);
  const signer = keys.find((key) => signatures.some((candidate) => accepts(key, bytes, candidate)));
  if (signer !== undefined) return { keyId: signer.keyId };
  throw new UcpError(
    'POLICY_SIGNATURE_INVALID',
    `The signature is not valid for these ${bytes.length} bytes under ${keys.map(({ keyId, kind }) => `${kind} key ${keyId}`).join(' or ')}; sign the policy again or use its signer's key`,
    { details: { keys: keys.map(({ keyId }) => keyId) } },
  );
}

function pinned(keys: readonly PublicKey[], pin: string | undefined): readonly PublicKey[] {
  if (pin === undefined) return keys;
  const wanted = parsePin(pin);
  const found = keys.filter(({ keyId }) => keyId === wanted);
  if (found.length > 0) return found;
  throw new UcpError(
    'POLICY_KEY_PIN_MISMATCH',
    `expected the public key ${wanted}, got ${keys.map(({ keyId }) => keyId).join(', ')}`,
    { details: { expected: wanted, got: keys.map(({ keyId }) => keyId) } },
  );
}

function accepts({ key, kind }: PublicKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  return ACCEPTED[kind].some(({ hash, ...how }) => {
    try {
      return verify(hash, bytes, { key, ...how }, signature);
    } catch {
      // A key made for PSS with one hash refuses the other one.
      return false;
    }
  });
}
