import { createHash } from 'node:crypto';

/** `sha256:<hex>` of the exact bytes of a policy document. */
export function policyDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
