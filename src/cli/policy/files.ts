import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { UcpError } from '../../core/errors.ts';
import { MAX_POLICY_BYTES, parsePolicy, type Policy } from '../../policy/index.ts';

/** Reads a file, `-` for stdin. Throws FILE_UNREADABLE. */
export function readInput(path: string): Uint8Array {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (cause) {
    throw new UcpError('FILE_UNREADABLE', `cannot read ${path}: ${reason(cause)}`, { cause });
  }
}

/** Reads and parses a policy file. */
export function readPolicy(path: string): { bytes: Uint8Array; policy: Policy } {
  const bytes = readInput(path);
  return { bytes, policy: parsePolicy(bytes, { maxBytes: MAX_POLICY_BYTES }) };
}

export interface WriteOptions {
  /** Permission bits; 0o644 unless given. */
  readonly mode?: number;
  /** Replaces an existing file; otherwise that is POLICY_FILE_EXISTS. */
  readonly replace: boolean;
}

/** Writes a whole file or none. Throws POLICY_FILE_EXISTS and POLICY_FILE_UNWRITABLE. */
export function writeOutput(path: string, content: string | Uint8Array, { mode = 0o644, replace }: WriteOptions): void {
  try {
    if (!replace) {
      writeFileSync(path, content, { mode, flag: 'wx' });
      return;
    }
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      writeFileSync(temporary, content, { mode, flag: 'wx' });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      throw new UcpError('POLICY_FILE_EXISTS', `${path} exists already; remove it or choose another name`, { cause });
    }
    throw new UcpError('POLICY_FILE_UNWRITABLE', `cannot write ${path}: ${reason(cause)}`, { cause });
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
