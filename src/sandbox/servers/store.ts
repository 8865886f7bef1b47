import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';
import { formatDefinition, parseDefinition, type ServerDefinition } from './definition.ts';
import { replaceFile } from './replace-file.ts';

/** What a name of a server may be: it is a file's name and the beginning of its sandboxes' names. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,47}$/;

/** A definition and the name that it goes by. */
export interface NamedServer {
  readonly name: string;
  readonly definition: ServerDefinition;
}

/** The user's named servers: one file each, so that no two writers ever meet in one. */
export class ServerStore {
  /** `<config directory>/ucp/servers`. */
  readonly dir: string;

  constructor(env: Readonly<Record<string, string | undefined>>, home: string) {
    this.dir = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'ucp/servers');
  }

  /** The file of a name. Throws USAGE for what can't be one. */
  file(name: string): string {
    if (NAME.test(name)) return join(this.dir, `${name}.json`);
    throw new UcpError(
      'USAGE',
      `A server's name has letters, digits, _ . and -, at most 48: ${JSON.stringify(name)} cannot be one.`,
    );
  }

  /** Every name, sorted. */
  names(): readonly string[] {
    try {
      const files = readdirSync(this.dir).filter((file) => file.endsWith('.json'));
      return files
        .map((file) => file.slice(0, -'.json'.length))
        .filter((name) => NAME.test(name))
        .toSorted();
    } catch (error) {
      if (field(error, 'code') === 'ENOENT') return [];
      throw error;
    }
  }

  /** Throws SERVER_UNKNOWN, SERVER_FILE_INVALID, USAGE. */
  read(name: string): ServerDefinition {
    const file = this.file(name);
    return parseDefinition(this.#text(name, file), file);
  }

  has(name: string): boolean {
    return this.names().includes(name);
  }

  all(): readonly NamedServer[] {
    return this.names().map((name) => ({ name, definition: this.read(name) }));
  }

  /** Replaces or makes the definition. */
  write(name: string, definition: ServerDefinition): void {
    const file = this.file(name);
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    // Arguments may be private.
    replaceFile(file, formatDefinition(definition), 0o600);
  }

  /** Throws SERVER_UNKNOWN, USAGE. */
  remove(name: string): void {
    if (!this.has(name)) throw this.#unknown(name);
    rmSync(this.file(name));
  }

  #text(name: string, file: string): string {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      if (field(cause, 'code') === 'ENOENT') throw this.#unknown(name);
      throw new UcpError('FILE_UNREADABLE', `The definition ${file} cannot be read: check its permissions.`, { cause });
    }
  }

  #unknown(name: string): UcpError {
    const names = this.names();
    const there = names.length === 0 ? 'none is defined: see `ucp-sandbox mcp add`' : `there are ${names.join(', ')}`;
    return new UcpError('SERVER_UNKNOWN', `There is no MCP server ${JSON.stringify(name)}; ${there}.`);
  }
}
