import { toUcpError, UcpError } from '../../core/errors.ts';
import type { RunRequest } from '../../core/run-request.ts';
import { MAX_POLICY_BYTES, parsePolicy, policyDigest } from '../../policy/index.ts';
import { readBounded } from '../source/file-object.ts';
import type { LoadedPolicy } from './loaded-policy.ts';
import { validatePackage, verifyPackage } from './read-signed.ts';

const MAX_SMALL_FILE = 64 * 1024;

/** The policy that ships with the program. Throws POLICY_INVALID. */
export function builtInPolicy(bytes: Uint8Array): LoadedPolicy {
  const policy = parsePolicy(bytes);
  const ref = { policy_id: policy.policy_id, version: policy.version, digest: policyDigest(bytes), generation: 0 };
  return { policy, ref, source: 'built-in', size: bytes.length };
}

/** What choosing a policy for a run needs. */
export interface PoliciesOptions {
  /** Runs may name policies of their own. */
  readonly onDemand: boolean;
  /** Path of the configured public key, for runs that name a policy and no key. */
  defaultKey(): string | undefined;
  /** The policy in force on this host, once it is known. */
  inForce(): Promise<LoadedPolicy>;
  generationOf(digest: string): number;
}

/** Chooses the policy of each run: the host's, or in on-demand mode the signed file that the run names. */
export class Policies {
  readonly #options: PoliciesOptions;

  constructor(options: PoliciesOptions) {
    this.#options = options;
  }

  /** Rejects with POLICY_FIXED, POLICY_KEY_MISSING, FILE_UNREADABLE, or what verification and validation say. */
  async forRequest({ policyFile, policyKey }: Pick<RunRequest, 'policyFile' | 'policyKey'>): Promise<LoadedPolicy> {
    if (policyFile === undefined) return this.#options.inForce();
    if (!this.#options.onDemand) {
      throw new UcpError(
        'POLICY_FIXED',
        `--policy ${policyFile} is refused: the service's own policy is in force here.`,
      );
    }
    const key = policyKey ?? this.#options.defaultKey();
    if (key === undefined) {
      throw new UcpError(
        'POLICY_KEY_MISSING',
        `${policyFile} can't be verified without a key: add --policy-key KEY.pub.`,
      );
    }
    return this.#signedFile(policyFile, key);
  }

  async #signedFile(path: string, key: string): Promise<LoadedPolicy> {
    const [policy, signature, publicKey] = await Promise.all([
      readNamed(path, MAX_POLICY_BYTES),
      readNamed(`${path}.sig`, MAX_SMALL_FILE),
      readNamed(key, MAX_SMALL_FILE),
    ]);
    const bytes = { policy, signature, publicKey };
    const { keyId } = verifyPackage(bytes, undefined);
    const checked = validatePackage(bytes, MAX_POLICY_BYTES);
    const { policy_id, version } = checked.policy;
    const ref = { policy_id, version, digest: checked.digest, generation: this.#options.generationOf(checked.digest) };
    return { policy: checked.policy, ref, source: 'file', size: policy.length, key: keyId };
  }
}

async function readNamed(path: string, max: number): Promise<Uint8Array> {
  try {
    return await readBounded(path, max);
  } catch (thrown) {
    const error = toUcpError(thrown);
    if (error.code === 'POLICY_TOO_LARGE') throw error;
    const what = path.endsWith('.sig') ? 'The policy is not signed: ' : '';
    throw new UcpError('FILE_UNREADABLE', `${what}${error.message}`, { cause: thrown });
  }
}
