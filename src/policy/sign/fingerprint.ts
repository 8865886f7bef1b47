import { createHash, type KeyObject } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';

/** `sha256:<hex>` over the key's SubjectPublicKeyInfo in DER: names a public key, and pins it. */
export function fingerprint(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(spki).digest('hex')}`;
}

/** A pin in the form of {@link fingerprint}: 64 hex digits, `sha256:` before them and colons between them allowed. */
export function parsePin(pin: string): string {
  const hex = pin
    .replace(/^sha256:/i, '')
    .replaceAll(':', '')
    .toLowerCase();
  if (!/^[\da-f]{64}$/.test(hex)) {
    throw new UcpError('POLICY_PIN_MALFORMED', `expected 64 hex digits, the SHA-256 of the public key, got "${pin}"`);
  }
  return `sha256:${hex}`;
}
