import { UcpError } from '../../core/errors.ts';
import { parsePolicy, type Policy, policyDigest, verifyDetached } from '../../policy/index.ts';
import type { PolicyPackage } from '../source/source.ts';

/** The key that made the signature over exactly these bytes. Throws POLICY_SIGNATURE_INVALID and its kin. */
export function verifyPackage(
  { policy, signature, publicKey }: PolicyPackage,
  pin: string | undefined,
): { keyId: string } {
  return verifyDetached({ bytes: policy, signature, pem: publicKey, pin });
}

/** The policy that the verified bytes are. Throws POLICY_INVALID. */
export function validatePackage({ policy }: PolicyPackage, maxBytes: number): { policy: Policy; digest: string } {
  return { policy: parsePolicy(policy, { maxBytes }), digest: policyDigest(policy) };
}

/**
 * Anti-rollback: a version must be above the highest one ever activated; the same version must be the same bytes.
 * Throws POLICY_ROLLBACK.
 */
export function assertNotOlder(
  policy: Policy,
  digest: string,
  highest: { readonly version: number; readonly digest: string } | undefined,
): void {
  if (highest === undefined || policy.version > highest.version) return;
  if (policy.version === highest.version && digest === highest.digest) return;
  const what =
    policy.version === highest.version ? `other bytes of version ${policy.version}` : `version ${policy.version}`;
  throw new UcpError(
    'POLICY_ROLLBACK',
    `The policy ${policy.policy_id} is ${what}, and version ${highest.version} was active here before: publish a higher version.`,
    { pointer: '/version', details: { version: policy.version, highest: highest.version } },
  );
}
