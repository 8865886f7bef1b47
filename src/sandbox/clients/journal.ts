import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { JsonObject } from '../../core/json.ts';
import { replaceFile } from '../servers/replace-file.ts';
import { isObject, type Shape, shapeProblem } from '../servers/shape.ts';
import type { Places } from './catalog.ts';
import { digestOf } from './config-file.ts';

/** What was done to one file, so that it can be undone to the byte. */
export interface Journal {
  readonly version: 1;
  readonly file: string;
  /** Digest of the text before the first change, which is in the backup; null: there was no file. */
  readonly original: string | null;
  /** Digest of the text after the last change: with any other text somebody else has been there since. */
  readonly expected: string;
  /** The table of servers was not there before. */
  readonly madeContainer: boolean;
  readonly madeDirectories: readonly string[];
  /** The servers that were set, in this order. */
  readonly changes: readonly { readonly name: string; readonly entry: JsonObject }[];
}

const SHAPE: Shape = {
  version: (value) => value === 1 || 'expected 1',
  file: isText,
  original: (value) => value === null || isText(value),
  expected: isText,
  madeContainer: (value) => typeof value === 'boolean' || 'expected true or false',
  madeDirectories: (value) =>
    (Array.isArray(value) && value.every((path) => isText(path) === true)) || 'expected a list',
  changes: (value) =>
    (Array.isArray(value) && value.every((change) => isObject(change) && isObject(change['entry']))) ||
    'expected a list',
};

function isText(value: unknown): true | string {
  return typeof value === 'string' || 'expected text';
}

/** The journals of a user, one a file, in the state directory. */
export class Journals {
  readonly #dir: string;

  constructor({ env, home }: Places) {
    this.#dir = join(env['XDG_STATE_HOME'] || join(home, '.local/state'), 'ucp/clients');
  }

  /** The journal of a file; undefined where there is none that can be read: then nothing of it is known. */
  read(file: string): Journal | undefined {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#path(file), 'utf8'));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was looked at
      return shapeProblem(value, SHAPE) === undefined ? (value as Journal) : undefined;
    } catch {
      return undefined;
    }
  }

  write(journal: Journal): void {
    const path = this.#path(journal.file);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify(journal)}\n`, 0o600);
  }

  forget(file: string): void {
    rmSync(this.#path(file), { force: true });
  }

  #path(file: string): string {
    return join(this.#dir, `${digestOf(file).slice(0, 32)}.json`);
  }
}
