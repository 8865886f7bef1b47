import { isDeepStrictEqual } from 'node:util';

import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Client, isSandboxed, type Places } from './catalog.ts';
import { ConfigFile, digestOf } from './config-file.ts';
import { type Journal, Journals } from './journal.ts';

/** Where a change begins: the text that every change is made to anew, and those that are in it already. */
interface Base {
  readonly original: string | undefined;
  readonly madeContainer: boolean;
  readonly madeDirectories: readonly string[];
  readonly changes: Journal['changes'];
}

/**
 * One file of a client. The text is always "what was there before us, and these changes", so that taking the last one back
 * gives the bytes of before. Where others have edited since, their text is the new beginning.
 */
export class ClientFile {
  readonly client: Client;
  readonly path: string;
  readonly #file: ConfigFile;
  readonly #journals: Journals;

  constructor(client: Client, path: string, places: Places) {
    this.client = client;
    this.path = path;
    this.#file = new ConfigFile(path);
    this.#journals = new Journals(places);
  }

  /** Its servers by name; undefined when there is no file. Throws CLIENT_FILE_INVALID. */
  entries(): Readonly<Record<string, JsonObject>> | undefined {
    return this.#telling(() => {
      const text = this.#file.read();
      return text === undefined ? undefined : this.client.editor.entries(text);
    });
  }

  /** The text with these servers set, without writing it. */
  preview(entries: ReadonlyMap<string, JsonObject>): string {
    return this.#telling(() => {
      let text = this.#file.read() ?? '';
      for (const [name, entry] of entries) text = this.client.editor.set(text, name, entry);
      return text;
    });
  }

  /**
   * Sets a server; false when it is like this already. Throws CLIENT_ENTRY_EXISTS unless `replace` when another one of
   * that name is there, CLIENT_FILE_INVALID, CLIENT_FILE_UNWRITABLE.
   */
  set(name: string, entry: JsonObject, options: { readonly replace: boolean }): boolean {
    return this.#telling(() => {
      const text = this.#file.read();
      const old = this.client.editor.entries(text ?? '')[name];
      if (isDeepStrictEqual(old, entry)) return false;
      if (old !== undefined && !isSandboxed(old) && !options.replace) {
        throw new UcpError(
          'CLIENT_ENTRY_EXISTS',
          `${this.path} has a server ${name} that is not started by ucp-sandbox: import it, or use --force.`,
        );
      }
      // What can't be edited is told before anything is made.
      this.client.editor.set(text ?? '', name, entry);
      const base = this.#known(text) ?? this.#fresh(text);
      const changes = [...base.changes.filter((change) => change.name !== name), { name, entry }];
      this.#write(text, { ...base, changes });
      return true;
    });
  }

  /** Takes a server away that {@link set} has put there, and puts back what it replaced; false when there is none. */
  unset(name: string): boolean {
    return this.#telling(() => {
      const text = this.#file.read();
      const { editor } = this.client;
      const old = text === undefined ? undefined : editor.entries(text)[name];
      if (text === undefined || old === undefined || !isSandboxed(old)) return false;
      const base = this.#known(text);
      if (base?.changes.some((change) => change.name === name) === true) {
        this.#write(text, { ...base, changes: base.changes.filter((change) => change.name !== name) });
        return true;
      }
      const journal = this.#journals.read(this.path);
      this.#file.write(text, this.#without(text, name, journal));
      const changes = journal?.changes.filter((change) => change.name !== name) ?? [];
      // What is left of the journal knows no bytes any more, but still which entries and which table were ours.
      if (journal === undefined || changes.length === 0) this.#journals.forget(this.path);
      else this.#journals.write({ ...journal, changes });
      return true;
    });
  }

  /** The text without a server that is in somebody else's text by now. */
  #without(text: string, name: string, journal: Journal | undefined): string {
    const { editor } = this.client;
    const ours = journal?.changes.some((change) => change.name === name) === true;
    const original = ours ? this.#file.original() : undefined;
    const replaced = original === undefined ? undefined : editor.entries(original)[name];
    if (replaced !== undefined) return editor.set(text, name, replaced);
    return editor.remove(text, name, { container: journal?.madeContainer === true });
  }

  /** What is known of a text that is as we left it. */
  #known(text: string | undefined): Base | undefined {
    const journal = this.#journals.read(this.path);
    if (journal === undefined || text === undefined || digestOf(text) !== journal.expected) return undefined;
    const original = journal.original === null ? undefined : this.#file.original();
    if (journal.original !== null && (original === undefined || digestOf(original) !== journal.original))
      return undefined;
    return { ...journal, original };
  }

  #fresh(text: string | undefined): Base {
    const before = this.#journals.read(this.path);
    const madeDirectories = text === undefined ? this.#file.makeDirectories() : (before?.madeDirectories ?? []);
    const container = text !== undefined && this.client.editor.hasContainer(text);
    if (text !== undefined) this.#file.keep();
    const madeContainer = !container || before?.madeContainer === true;
    return { original: text, madeContainer, madeDirectories, changes: [] };
  }

  #write(text: string | undefined, base: Base): void {
    const { original, changes } = base;
    if (changes.length === 0) {
      if (original === undefined) this.#file.remove(base.madeDirectories);
      else this.#file.write(text, original);
      this.#file.forget();
      this.#journals.forget(this.path);
      return;
    }
    let next = original ?? '';
    for (const { name, entry } of changes) next = this.client.editor.set(next, name, entry);
    // Before the file: one that is interrupted here leaves a journal that does not know the text, and nothing is lost.
    this.#journals.write({
      version: 1,
      file: this.path,
      original: original === undefined ? null : digestOf(original),
      expected: digestOf(next),
      madeContainer: base.madeContainer,
      madeDirectories: base.madeDirectories,
      changes,
    });
    this.#file.write(text, next);
  }

  /** Errors name the file. */
  #telling<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UcpError && error.code === 'CLIENT_FILE_INVALID')) throw error;
      throw new UcpError(error.code, error.message.replace(/^The file/, this.path), { cause: error });
    }
  }
}
