import type { JsonObject, JsonValue } from '../../core/json.ts';
import { type Finding, type Path, toPointer } from '../parse/problem.ts';
import type { Decision, Normalised } from './normalise.ts';

type Mutable = { [key: string]: JsonValue };

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const startsWith = (path: Path, prefix: Path): boolean => prefix.every((part, index) => path[index] === part);

/** A document on its way to the canonical layout: remembers where each part came from and why it moved. */
export class Draft implements Normalised {
  readonly decisions: Decision[] = [];
  readonly findings: Finding[] = [];
  readonly #moves: { readonly from: Path; readonly to: Path }[] = [];
  #root: JsonValue;

  constructor(document: JsonValue) {
    this.#root = document;
  }

  get canonical(): JsonValue {
    return this.#root;
  }

  get(path: Path): JsonValue | undefined {
    let value: JsonValue | undefined = this.#root;
    for (const part of path) {
      if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
      value = value[part];
    }
    return value;
  }

  object(path: Path): JsonObject | undefined {
    const value = this.get(path);
    return isObject(value) ? value : undefined;
  }

  has(path: Path): boolean {
    return this.get(path) !== undefined;
  }

  /** Sets a value that comes from `from` (a path of the draft). */
  set(to: Path, value: JsonValue, from: Path, reason: string): void {
    const source = this.sourceOf(from);
    this.#write(to, value);
    this.#moves.push({ from: source, to });
    this.decisions.push({ from: toPointer(source), to: toPointer(to), reason });
  }

  move(from: Path, to: Path, reason: string): void {
    const value = this.get(from);
    if (value === undefined) return;
    this.set(to, value, from, reason);
    this.#write(from, undefined);
  }

  drop(path: Path, reason: string): void {
    this.decisions.push({ from: toPointer(this.sourceOf(path)), reason });
    this.#write(path, undefined);
  }

  dropIfEmpty(path: Path): void {
    const value = this.object(path);
    if (value !== undefined && Object.keys(value).length === 0) this.drop(path, 'nothing is left in it');
  }

  ambiguous(path: Path, message: string): void {
    this.findings.push({ code: 'POLICY_LAYOUT_AMBIGUOUS', path: this.sourceOf(path), atKey: true, message });
  }

  unsupported(path: Path, message: string): void {
    this.findings.push({ code: 'POLICY_LAYOUT_UNSUPPORTED', path: this.sourceOf(path), atKey: true, message });
  }

  /** The newest move decides: a part may have been moved as a whole and then in pieces. */
  sourceOf(path: Path): Path {
    const move = this.#moves.findLast(({ to }) => startsWith(path, to));
    return move === undefined ? path : [...move.from, ...path.slice(move.to.length)];
  }

  /** Copies what is on the way, so that the caller's document stays as it is. */
  #write(path: Path, value: JsonValue | undefined): void {
    const write = (node: JsonValue | undefined, depth: number): JsonValue => {
      const copy: Mutable = isObject(node) ? { ...node } : {};
      const key = String(path[depth]);
      if (depth < path.length - 1) copy[key] = write(copy[key], depth + 1);
      else if (value === undefined) delete copy[key];
      else copy[key] = value;
      return copy;
    };
    this.#root = write(this.#root, 0);
  }
}
