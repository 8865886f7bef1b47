import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { UcpError } from '../../core/errors.ts';
import type { GetOptions, ObjectStore, Precondition, StoredObject } from './object-store.ts';

/**
 * A directory, made if it is not there. Files are replaced by rename, so that no reader sees half of one. The
 * precondition is checked before the rename; two publishers within the same milliseconds can pass each other.
 */
export class FileStore implements ObjectStore {
  readonly url: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.url = `${pathToFileURL(directory).href.replace(/\/$/, '')}/`;
  }

  async get(name: string, { ifNoneMatch, maxBytes }: GetOptions): Promise<StoredObject | 'unchanged' | undefined> {
    const path = join(this.#directory, name);
    try {
      const { size } = await stat(path);
      if (size > maxBytes) throw new UcpError('POLICY_TOO_LARGE', `${path} has ${size} bytes, more than ${maxBytes}.`);
      const bytes = await readFile(path);
      const etag = createHash('sha256').update(bytes).digest('hex');
      return etag === ifNoneMatch ? 'unchanged' : { bytes, etag };
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw cause instanceof UcpError ? cause : failed(`cannot read ${path}`, cause);
    }
  }

  async put(name: string, bytes: Uint8Array, precondition?: Precondition): Promise<void> {
    const path = join(this.#directory, name);
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    await this.#check(name, precondition);
    try {
      await mkdir(this.#directory, { recursive: true });
      {
        await using file = await open(temporary, 'wx', 0o644);
        await file.writeFile(bytes);
        await file.sync();
      }
      await rename(temporary, path);
    } catch (cause) {
      // Whatever keeps it from being removed, the first failure is the one to report.
      await rm(temporary, { force: true }).catch(() => {});
      throw failed(`cannot write ${path}`, cause);
    }
  }

  async #check(name: string, precondition: Precondition | undefined): Promise<void> {
    if (precondition === undefined) return;
    const found = await this.get(name, { maxBytes: Number.MAX_SAFE_INTEGER });
    const etag = found === undefined || found === 'unchanged' ? null : found.etag;
    if (etag !== precondition) {
      throw new UcpError('POLICY_PUBLISH_CONFLICT', `${this.url}${name} was changed by somebody else meanwhile.`);
    }
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

function failed(what: string, cause: unknown): UcpError {
  return new UcpError('POLICY_STORE_FAILED', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
