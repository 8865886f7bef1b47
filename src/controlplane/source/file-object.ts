import { open, stat } from 'node:fs/promises';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';
import type { SourceObject } from './source-object.ts';

/** A file of this host. */
export function fileObject(path: string): SourceObject {
  return {
    name: path,
    get: async (known, maxBytes) => {
      // Taken before reading: a change in between shows at the next check.
      const etag = await version(path);
      return etag === known ? 'unchanged' : { bytes: await readBounded(path, maxBytes), etag };
    },
  };
}

/** Changes whenever the file is written or replaced. */
async function version(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}-${size}-${mtimeNs}-${ctimeNs}`;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** The bytes of a file, never more than `max`, whatever it grows to while it is read. */
export async function readBounded(path: string, max: number): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > max) throw tooLarge(path, max);
    const buffer = Buffer.allocUnsafe(max === size ? size + 1 : Math.min(max, size + 4096) + 1);
    let used = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, used, buffer.length - used, used);
      used += bytesRead;
      if (used === buffer.length) throw tooLarge(path, max);
      if (bytesRead === 0) return buffer.subarray(0, used);
    }
  } catch (cause) {
    throw cause instanceof UcpError ? cause : unreadable(path, cause);
  }
}

function tooLarge(path: string, max: number): UcpError {
  return new UcpError('POLICY_TOO_LARGE', `${path} has more than ${max} bytes, or grew while it was read.`);
}

function unreadable(path: string, cause: unknown): UcpError {
  const code = field(cause, 'code');
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new UcpError('POLICY_SOURCE_MISSING', `There is no file ${path}.`, { cause });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new UcpError('POLICY_SOURCE_DENIED', `${path} may not be read by this user.`, { cause });
  }
  return new UcpError('POLICY_SOURCE_UNREACHABLE', `${path} can't be read: ${String(cause)}.`, { cause });
}
