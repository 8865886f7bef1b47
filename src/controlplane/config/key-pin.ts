import { parseLocation } from './location.ts';
import type { Config } from './schema.ts';

/**
 * True unless the key that verifies the policy comes from a bucket and nothing local says which key it must be: whoever
 * can write the bucket could replace policy, signature and key together (DESIGN §5).
 */
export function keyIsPinned({ ucpcm }: Config): boolean {
  if (ucpcm === undefined || ucpcm.public_key_sha256 !== undefined) return true;
  return parseLocation(ucpcm.public_key).kind === 'file';
}
