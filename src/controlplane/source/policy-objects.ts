import { UcpError } from '../../core/errors.ts';
import type { Found, PolicyPackage, PolicySource } from './source.ts';
import type { ReadObject, SourceObject } from './source-object.ts';

/** Signature and key files are small; more than this is not one. */
const MAX_SMALL_OBJECT = 64 * 1024;

/** Policy, signature and key, wherever each of them is. */
export interface PolicyObjects {
  readonly policy: SourceObject;
  readonly signature: SourceObject;
  readonly publicKey: SourceObject;
}

const PARTS = ['policy', 'signature', 'publicKey'] as const;
type Part = (typeof PARTS)[number];

/**
 * A source of three objects, each read only when it is not what it was. A change of any of them is a newer package: a
 * new signature or key for the same policy must be judged too.
 */
export function objectSource(objects: PolicyObjects, maxPolicyBytes: number): PolicySource {
  const limit = (part: Part): number => (part === 'policy' ? maxPolicyBytes : MAX_SMALL_OBJECT);
  return {
    name: objects.policy.name,
    check: async (etag): Promise<Found> => {
      const known = etags(etag);
      const read = await Promise.all(PARTS.map((part) => readPart(objects[part], known?.[part], limit(part))));
      if (read.every((part) => part === 'unchanged')) return { newer: false };
      const [policy, signature, publicKey] = await Promise.all(
        PARTS.map((part, at) => whole(objects[part], read[at] ?? 'unchanged', limit(part))),
      );
      const tooLarge = [policy, signature, publicKey].find((part) => part instanceof UcpError);
      const parts = { policy: tagOf(policy), signature: tagOf(signature), publicKey: tagOf(publicKey) };
      return {
        newer: true,
        etag: JSON.stringify(parts),
        fetch: async (): Promise<PolicyPackage> => {
          if (tooLarge !== undefined) throw tooLarge;
          return { policy: bytesOf(policy), signature: bytesOf(signature), publicKey: bytesOf(publicKey) };
        },
      };
    },
  };
}

type Outcome = ReadObject | UcpError;

/** An object that is too large is there: that is a failed download, not a failed check. */
async function readPart(object: SourceObject, etag: string | undefined, max: number): Promise<Outcome | 'unchanged'> {
  try {
    return await object.get(etag, max);
  } catch (thrown) {
    if (thrown instanceof UcpError && thrown.code === 'POLICY_TOO_LARGE') return thrown;
    throw thrown;
  }
}

async function whole(object: SourceObject, read: Outcome | 'unchanged', max: number): Promise<Outcome> {
  const outcome = read === 'unchanged' ? await readPart(object, undefined, max) : read;
  if (outcome !== 'unchanged') return outcome;
  throw new UcpError('POLICY_SOURCE_UNREACHABLE', `${object.name} answers "unchanged" to a reader that knows nothing.`);
}

function etags(text: string | undefined): Readonly<Record<Part, string>> | undefined {
  if (text === undefined) return undefined;
  try {
    const parts: Record<Part, string> = JSON.parse(text);
    return parts;
  } catch {
    return undefined;
  }
}

function tagOf(part: Outcome | undefined): string {
  return part === undefined || part instanceof UcpError ? '' : part.etag;
}

function bytesOf(part: Outcome | undefined): Uint8Array {
  return part === undefined || part instanceof UcpError ? new Uint8Array() : part.bytes;
}
