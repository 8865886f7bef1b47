import { UcpError } from '../../core/errors.ts';
import { MAX_POLICY_BYTES } from '../parse/bytes.ts';
import { parsePolicy } from '../parse/parse-policy.ts';
import { readSignatures, writeSignatures } from '../sign/signature-file.ts';
import { verifyDetached } from '../sign/verify.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

/** Names of the three objects. */
export interface Names {
  readonly policy: string;
  readonly signature: string;
  readonly publicKey: string;
}

/** The three objects themselves. */
export interface Package {
  readonly policy: Uint8Array;
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface Published {
  readonly unchanged: boolean;
  readonly keyId: string;
  readonly version: number;
  /** The version that was there before. */
  readonly previous?: number;
}

const MAX_SMALL_BYTES = 64 * 1024;

/**
 * Publishes a signed policy so that at no moment, and not between the writes either, a reader finds a policy with
 * a signature or key that is not its own: key and signature files that hold the old and the new one come first, then
 * the policy, and, after `settle` (time for those who have read the old policy to read the rest), the new ones alone.
 * Whatever write fails, what is there verifies.
 *
 * Refuses what its readers would refuse (POLICY_INVALID, POLICY_SIGNATURE_INVALID …) and a version that is not above
 * the published one (POLICY_NOT_NEWER). Rejects with POLICY_PUBLISH_CONFLICT when somebody else publishes meanwhile.
 */
export async function publish(
  store: ObjectStore,
  names: Names,
  next: Package,
  settle: () => Promise<void>,
): Promise<Published> {
  const { policy, signature, publicKey } = next;
  const { keyId } = verifyDetached({ bytes: policy, signature, pem: publicKey });
  const { version } = parsePolicy(policy);
  const before = await read(store, names);
  const previous = before === undefined ? undefined : versionOf(store, names, before.policy.bytes);
  const result = { keyId, version, ...(previous === undefined ? {} : { previous }) };
  if (before === undefined) {
    await store.put(names.publicKey, publicKey);
    await store.put(names.signature, signature);
    await store.put(names.policy, policy, null);
    return { ...result, unchanged: false };
  }
  const samePolicy = same(before.policy.bytes, policy);
  if (samePolicy && same(before.signature, signature) && same(before.publicKey, publicKey)) {
    return { ...result, unchanged: true };
  }
  if (!samePolicy && version <= (previous ?? -1)) {
    throw new UcpError(
      'POLICY_NOT_NEWER',
      `expected a version above ${previous}, which is at ${store.url}${names.policy}, got ${version}; raise "version" and sign again`,
      { pointer: '/version' },
    );
  }
  await store.put(names.publicKey, joined(publicKey, before.publicKey));
  await store.put(names.signature, both(signature, before.signature));
  await store.put(names.policy, policy, before.policy.etag);
  await settle();
  await store.put(names.signature, signature);
  await store.put(names.publicKey, publicKey);
  return { ...result, unchanged: false };
}

interface Before {
  readonly policy: StoredObject;
  readonly signature: Uint8Array | undefined;
  readonly publicKey: Uint8Array | undefined;
}

/** What is published now; undefined when there is no policy. */
async function read(store: ObjectStore, names: Names): Promise<Before | undefined> {
  const policy = await store.get(names.policy, { maxBytes: MAX_POLICY_BYTES });
  if (policy === undefined || policy === 'unchanged') return undefined;
  const small = async (name: string): Promise<Uint8Array | undefined> => {
    const found = await store.get(name, { maxBytes: MAX_SMALL_BYTES });
    return found === undefined || found === 'unchanged' ? undefined : found.bytes;
  };
  return { policy, signature: await small(names.signature), publicKey: await small(names.publicKey) };
}

function versionOf(store: ObjectStore, names: Names, bytes: Uint8Array): number {
  try {
    return parsePolicy(bytes).version;
  } catch (cause) {
    throw new UcpError(
      'POLICY_PUBLISH_CONFLICT',
      `what is at ${store.url}${names.policy} is not a valid policy, so its version is unknown; look at it and remove it`,
      { cause },
    );
  }
}

function same(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}

/** PEM files may hold several keys. */
function joined(next: Uint8Array, before: Uint8Array | undefined): Uint8Array {
  return before === undefined || same(before, next) ? next : Buffer.concat([next, Buffer.from('\n'), before]);
}

function both(next: Uint8Array, before: Uint8Array | undefined): Uint8Array {
  if (before === undefined || same(before, next)) return next;
  let old: readonly Uint8Array[];
  try {
    old = readSignatures(before);
  } catch {
    // What never was a signature need not be kept.
    return next;
  }
  return writeSignatures([...readSignatures(next), ...old].slice(0, 8));
}
