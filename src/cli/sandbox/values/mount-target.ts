import { posix } from 'node:path';

import { badValue } from './usage.ts';

/** Names of engine volumes. */
export const VOLUME_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

/** Where a mount appears: an absolute path other than / and our own /.ucp. */
export function parseTarget(flag: string, target: string, text: string): string {
  const path = posix.normalize(target).replace(/(?<=.)\/$/, '');
  if (!target.startsWith('/') || path === '/') throw badValue(flag, 'an absolute target other than /', text);
  if (path === '/.ucp' || path.startsWith('/.ucp/'))
    throw badValue(flag, 'a target outside /.ucp, which is reserved', text);
  return path;
}
