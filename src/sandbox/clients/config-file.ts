import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';
import { replaceFile } from '../servers/replace-file.ts';

/** A client's file as it is on disk; links are followed, so that they stay links. */
export class ConfigFile {
  readonly path: string;
  readonly #real: string;

  constructor(path: string) {
    this.path = path;
    this.#real = existsSync(path) ? realpathSync(path) : path;
  }

  /** What the first change is undone from. */
  get backup(): string {
    return `${this.#real}.ucp.bak`;
  }

  /** The text; undefined when there is no file. Throws FILE_UNREADABLE, CLIENT_FILE_INVALID. */
  read(): string | undefined {
    return readText(this.#real);
  }

  /** The text of the backup. */
  original(): string | undefined {
    return readText(this.backup);
  }

  /** Keeps the text of now, with the permissions of now. */
  keep(): void {
    this.#changing(() => {
      writeFileSync(this.backup, readFileSync(this.#real), { mode: 0o600 });
      chmodSync(this.backup, this.#mode());
    });
  }

  forget(): void {
    rmSync(this.backup, { force: true });
  }

  /** Makes the directories that are missing; returns them, the outermost first. */
  makeDirectories(): readonly string[] {
    const missing: string[] = [];
    for (let at = dirname(this.#real); !existsSync(at); at = dirname(at)) missing.unshift(at);
    // One by one: below /proc, Node's own recursion never ends.
    for (const directory of missing) this.#changing(() => mkdirSync(directory));
    return missing;
  }

  /** Replaces the text of `before` (undefined: no file). Throws CLIENT_FILE_UNWRITABLE, also when somebody else was faster. */
  write(before: string | undefined, text: string): void {
    if (this.read() !== before) {
      throw new UcpError('CLIENT_FILE_UNWRITABLE', `${this.path} was changed by another program just now: try again.`);
    }
    this.#changing(() => replaceFile(this.#real, text, this.#mode()));
  }

  /** Removes the file, and those of `directories` that are empty then. */
  remove(directories: readonly string[]): void {
    this.#changing(() => rmSync(this.#real, { force: true }));
    for (const directory of directories.toReversed()) {
      try {
        rmdirSync(directory);
      } catch {
        // Something else lives there by now.
        return;
      }
    }
  }

  #mode(): number {
    return existsSync(this.#real) ? statSync(this.#real).mode & 0o7777 : 0o600;
  }

  #changing(change: () => void): void {
    try {
      change();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UcpError('CLIENT_FILE_UNWRITABLE', `${this.path} could not be changed: ${why}`, { cause });
    }
  }
}

/** SHA-256 of a text, hex. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    if (field(cause, 'code') === 'ENOENT') return undefined;
    throw new UcpError('FILE_UNREADABLE', `${path} cannot be read: check its permissions.`, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UcpError('CLIENT_FILE_INVALID', `${path} was left as it is: it is not UTF-8.`, { cause });
  }
}
