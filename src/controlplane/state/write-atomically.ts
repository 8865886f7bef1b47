import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces `path` by `content`: readers see the old file or the whole new one. `durable` also survives a power cut,
 * at the price of two fsyncs. Throws what the file system says and leaves nothing behind.
 */
export function writeAtomically(
  path: string,
  content: string | Uint8Array,
  options: { readonly mode: number; readonly durable: boolean },
): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, 'w', options.mode);
    try {
      // The process's umask may have narrowed the mode, and readers inside a container are not of our group.
      fchmodSync(file, options.mode);
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      if (options.durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (options.durable) syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  const dir = openSync(path, 'r');
  try {
    fsyncSync(dir);
  } finally {
    closeSync(dir);
  }
}
