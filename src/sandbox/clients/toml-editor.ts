import { isDeepStrictEqual } from 'node:util';

import { parse } from 'smol-toml';

import type { JsonObject, JsonValue } from '../../core/json.ts';
import { isObject } from '../servers/shape.ts';
import { assertEdited, type Editor, invalid } from './editor.ts';

/**
 * Editor of TOML files whose servers are tables `[container.NAME]`. It adds, cuts and replaces whole lines, so that all
 * others stay as they are, and looks with a parser whether the result says what it should.
 */
export class TomlEditor implements Editor {
  readonly #container: string;

  constructor(container: string) {
    this.#container = container;
  }

  entries(text: string): Readonly<Record<string, JsonObject>> {
    const found = document(text)[this.#container] ?? {};
    if (!isObject(found)) throw invalid(`${this.#container} is not a table`);
    return Object.fromEntries(
      Object.entries(found).flatMap(([name, entry]) => (isObject(entry) ? [[name, entry]] : [])),
    );
  }

  hasContainer(text: string): boolean {
    return this.#container in document(text);
  }

  set(text: string, name: string, entry: JsonObject): string {
    const old = this.entries(text)[name];
    const keepsAll = old !== undefined && Object.keys(old).every((key) => key in entry);
    const changed = keepsAll
      ? this.#withValues(text, name, old, entry)
      : append(old === undefined ? text : this.#without(text, name), this.#header(name), entry);
    assertEdited(document(text), document(changed), this.#container, { name, entry });
    return changed;
  }

  remove(text: string, name: string): string {
    const changed = this.#without(text, name);
    assertEdited(document(text), document(changed), this.#container, { name, entry: undefined });
    return changed;
  }

  #header(name: string): string {
    return `[${this.#container}.${/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name)}]`;
  }

  /** The text without the tables of a server and the empty line before each. */
  #without(text: string, name: string): string {
    const lines = linesOf(text);
    const kept: string[] = [];
    for (const { start, end, path } of tables(lines)) {
      const ours = path[0] === this.#container && path[1] === name;
      if (ours) while (kept.at(-1)?.trim() === '') kept.pop();
      kept.push(...(ours ? lines.slice(contentEnd(lines, start, end), end) : lines.slice(start, end)));
    }
    return kept.join('');
  }

  /** The text with other values in the table of a server. */
  #withValues(text: string, name: string, old: JsonObject, entry: JsonObject): string {
    const lines = linesOf(text);
    const table = tables(lines).find(({ path }) => isDeepStrictEqual(path, [this.#container, name]));
    if (table === undefined) throw invalid(`the server ${name} is written as something else than a table`);
    let block = lines.slice(table.start, table.end);
    for (const [key, value] of Object.entries(entry)) {
      if (!isDeepStrictEqual(old[key], value)) block = withValue(block, key, value);
    }
    return [...lines.slice(0, table.start), ...block, ...lines.slice(table.end)].join('');
  }
}

/** A table: its header's line, the line after its last one, the keys of its header; none at the top of a file. */
interface Table {
  readonly start: number;
  readonly end: number;
  readonly path: readonly string[];
}

function document(text: string): JsonObject {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- dates are the only other values, and are compared only
    return structuredClone(parse(text.replace(/^\uFEFF/, ''))) as JsonObject;
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : '';
    throw invalid(`it cannot be parsed (${why})`, cause);
  }
}

/** Lines with their ends. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function tables(lines: readonly string[]): readonly Table[] {
  const starts = lines.flatMap((line, index) => {
    const path = headerPath(line);
    return path === undefined ? [] : [{ start: index, path }];
  });
  const all = [{ start: 0, path: [] }, ...starts];
  return all.map(({ start, path }, index) => ({ start, path, end: all[index + 1]?.start ?? lines.length }));
}

/** The keys in a header; undefined for any other line. */
function headerPath(line: string): readonly string[] | undefined {
  if (!/^\s*\[.*\]\s*(?:#.*)?$/.test(line.trimEnd())) return undefined;
  try {
    const path: string[] = [];
    let at: unknown = parse(line.replace(/^\uFEFF/, ''));
    while (isObject(at)) {
      const [key] = Object.keys(at);
      if (key === undefined) break;
      path.push(key);
      at = at[key];
    }
    return path;
  } catch {
    return undefined;
  }
}

/** Where a table's own lines end: comments and empty lines after them belong to what follows. */
function contentEnd(lines: readonly string[], start: number, end: number): number {
  let at = end;
  while (at > start && /^\s*(?:#.*)?$/.test((lines[at - 1] ?? '').trimEnd())) at -= 1;
  return at;
}

function append(text: string, header: string, entry: JsonObject): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const ended = text === '' || text.endsWith('\n') ? text : text + eol;
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${written(value)}`);
  return `${ended}${ended.trim() === '' ? '' : eol}${[header, ...lines].join(eol)}${eol}`;
}

/** The lines of a table with one key's value replaced, or added behind the header. */
function withValue(block: readonly string[], key: string, value: JsonValue): string[] {
  const [header = '', ...rest] = block;
  const eol = header.endsWith('\r\n') ? '\r\n' : '\n';
  const line = `${key} = ${written(value)}${eol}`;
  const at = rest.findIndex((text) => text.split('=')[0]?.trim() === key);
  if (at === -1) return [header.endsWith('\n') ? header : header + eol, line, ...rest];
  return [header, ...rest.slice(0, at), line, ...rest.slice(at + valueLines(rest.slice(at)))];
}

/** How many lines the assignment at the beginning of `lines` takes. */
function valueLines(lines: readonly string[]): number {
  for (let count = 1; count <= lines.length; count++) {
    try {
      parse(lines.slice(0, count).join(''));
      return count;
    } catch {
      // Not all of it yet.
    }
  }
  throw invalid('a value in it has no end');
}

function written(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (isObject(value)) {
    return `{ ${Object.entries(value)
      .map(([key, of]) => `${JSON.stringify(key)} = ${written(of)}`)
      .join(', ')} }`;
  }
  return JSON.stringify(value);
}
