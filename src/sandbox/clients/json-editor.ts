import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

import type { JsonObject } from '../../core/json.ts';
import { isObject } from '../servers/shape.ts';
import { assertEdited, type Editor, invalid } from './editor.ts';
import { type Layout, layoutOf, member, render } from './json-text.ts';

const MARK = '\uFEFF';

/**
 * Editor of JSON files whose servers are in the object `container`; `comments`: with comments and trailing commas, as the
 * client itself reads it.
 */
export class JsonEditor implements Editor {
  readonly #container: string;
  readonly #comments: boolean;

  constructor(container: string, options: { readonly comments: boolean }) {
    this.#container = container;
    this.#comments = options.comments;
  }

  entries(text: string): Readonly<Record<string, JsonObject>> {
    const found = this.#document(body(text))[this.#container] ?? {};
    if (!isObject(found)) throw invalid(`${this.#container} is not an object`);
    const entries = Object.entries(found).flatMap(([name, entry]) => (isObject(entry) ? [[name, entry] as const] : []));
    return Object.fromEntries(entries);
  }

  hasContainer(text: string): boolean {
    return this.#container in this.#document(body(text));
  }

  set(text: string, name: string, entry: JsonObject): string {
    return this.#edit(text, { name, entry }, (json) => this.#withEntry(json, name, entry));
  }

  remove(text: string, name: string, { container }: { readonly container: boolean }): string {
    return this.#edit(text, { name, entry: undefined }, (json) => {
      const without = applyEdits(json, modify(json, [this.#container, name], undefined, {}));
      const empty = Object.keys(Object(this.#document(without)[this.#container])).length === 0;
      return container && empty ? applyEdits(without, modify(without, [this.#container], undefined, {})) : without;
    });
  }

  #edit(
    text: string,
    edit: { readonly name: string; readonly entry: JsonObject | undefined },
    change: (json: string) => string,
  ): string {
    const json = body(text);
    const before = this.#document(json);
    const changed = change(json);
    assertEdited(before, this.#document(changed), this.#container, edit);
    return text.startsWith(MARK) ? MARK + changed : changed;
  }

  #withEntry(json: string, name: string, entry: JsonObject): string {
    const layout = layoutOf(json);
    const root = this.#tree(json);
    if (root === undefined) {
      const comments = json.trim() === '' ? '' : json.trimEnd() + layout.eol;
      return `${comments}${render({ [this.#container]: { [name]: entry } }, 0, layout)}${layout.eol}`;
    }
    const servers = findNodeAtLocation(root, [this.#container]);
    if (servers === undefined)
      return insert(json, root, member(this.#container, { [name]: entry }, 1, layout), 1, layout);
    const old = findNodeAtLocation(servers, [name]);
    if (old === undefined) return insert(json, servers, member(name, entry, 2, layout), 2, layout);
    return json.slice(0, old.offset) + render(entry, 2, layout) + json.slice(old.offset + old.length);
  }

  #document(json: string): JsonObject {
    const root = this.#tree(json);
    if (root === undefined) return {};
    // The parser's objects have no prototype, which matters when they are compared.
    const value: unknown = structuredClone(getNodeValue(root));
    if (!isObject(value)) throw invalid('it is not an object');
    return value;
  }

  /** The parsed text; undefined when nothing but white space and comments is there. */
  #tree(json: string): Node | undefined {
    const errors: ParseError[] = [];
    const root = parseTree(json, errors, {
      disallowComments: !this.#comments,
      allowTrailingComma: this.#comments,
      allowEmptyContent: true,
    });
    const [error] = errors;
    if (error !== undefined) {
      const line = json.slice(0, error.offset).split('\n').length;
      throw invalid(`it cannot be parsed (${printParseErrorCode(error.error)} in line ${line})`);
    }
    // Two of one name: which one counts is the client's secret.
    for (const node of [root, root && findNodeAtLocation(root, [this.#container])]) assertDistinct(node);
    return root;
  }
}

function body(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

function assertDistinct(node: Node | undefined): void {
  const keys = (node?.children ?? []).map((property) => String(property.children?.[0]?.value));
  const twice = node?.type === 'object' ? keys.find((key, index) => keys.indexOf(key) !== index) : undefined;
  if (twice !== undefined) throw invalid(`it has the key ${JSON.stringify(twice)} twice in one object`);
}

/** `json` with one more member at the end of `object`, behind the comments that are there. */
function insert(json: string, object: Node, text: string, depth: number, { eol, unit }: Layout): string {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const lastEnd = last === undefined ? object.offset + 1 : last.offset + last.length;
  const tail = json.slice(lastEnd, close);
  const comma = last === undefined ? -1 : commaIn(tail);
  const before = json.slice(0, lastEnd) + (last !== undefined && comma === -1 ? ',' : '');
  // Comments stay where they are; the new member comes after them, the white space before the brace after it.
  const kept = tail.trimEnd();
  const space = tail.slice(kept.length);
  const trailing = comma === -1 ? '' : ',';
  if (unit === '') return `${before}${kept}${text}${trailing}${space}${json.slice(close)}`;
  const end = space.includes('\n') ? space : eol + unit.repeat(depth - 1);
  return `${before}${kept}${eol}${unit.repeat(depth)}${text}${trailing}${end}${json.slice(close)}`;
}

/** Where a comma stands in what follows a member, -1 where none does; one in a comment is none. */
function commaIn(tail: string): number {
  const scanner = createScanner(tail, true);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return tail.startsWith(',', at) ? at : -1;
}
