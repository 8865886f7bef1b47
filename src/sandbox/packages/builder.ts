import { createHash } from 'node:crypto';

import { hostId } from '../../telemetry/host-id.ts';

/** Labels of what is built from packages. Not of those that start with `ucp.`, which no image may bring. */
export const BUILT = {
  /** Whose it is: {@link builderId}. */
  by: 'io.ucp.builder',
  /** On the container that is filled: who fills it, as a lease is written. */
  holder: 'io.ucp.build',
} as const;

/**
 * Whose images and containers of packages are which: one value for each directory of
 * definitions on each host. An engine has many users; what one of them built is no concern of the others.
 */
export function builderId(definitions: string): string {
  return createHash('sha256')
    .update([hostId(), process.getuid?.() ?? '', definitions].join('\0'))
    .digest('hex')
    .slice(0, 32);
}
