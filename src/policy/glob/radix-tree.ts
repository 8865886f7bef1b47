/** A node: what is kept under the text that leads to it, and the texts that go on from it by their first unit. */
interface Node<Value> {
  label: string;
  values: Value[];
  next: Map<number, Node<Value>> | undefined;
}

/** Which side of a text a tree reads from. */
type From = 'begin' | 'end';

/** Values under texts, found by a text that begins (or ends) with theirs, in steps that depend on that text alone. */
export class RadixTree<Value> {
  readonly #root: Node<Value> = { label: '', values: [], next: undefined };
  readonly #from: From;

  constructor(from: From) {
    this.#from = from;
  }

  /** True when nothing was put in. */
  get empty(): boolean {
    return this.#root.values.length === 0 && this.#root.next === undefined;
  }

  put(text: string, value: Value): void {
    const from = this.#from;
    let node = this.#root;
    for (let at = 0; at < text.length;) {
      const found = node.next?.get(unitAt(text, at, from));
      if (found === undefined) {
        const label = from === 'begin' ? text.slice(at) : text.slice(0, text.length - at);
        const leaf: Node<Value> = { label, values: [], next: undefined };
        (node.next ??= new Map()).set(unitAt(text, at, from), leaf);
        node = leaf;
        break;
      }
      const shared = sharedLength(found.label, text, at, from);
      if (shared < found.label.length) split(found, shared, from);
      at += shared;
      node = found;
    }
    node.values.push(value);
  }

  /** Calls `visit` with the values of every text that `text` begins (ends) with, the shortest first. */
  walk(text: string, visit: (values: readonly Value[]) => void): void {
    let node: Node<Value> | undefined = this.#root;
    for (let at = 0; node !== undefined;) {
      const { label }: Node<Value> = node;
      if (this.#from === 'begin' ? !text.startsWith(label, at) : !text.endsWith(label, text.length - at)) return;
      at += label.length;
      if (node.values.length > 0) visit(node.values);
      node = at < text.length ? node.next?.get(unitAt(text, at, this.#from)) : undefined;
    }
  }
}

/** The unit at distance `at` from the side that is read from. */
function unitAt(text: string, at: number, from: From): number {
  return text.charCodeAt(from === 'begin' ? at : text.length - 1 - at);
}

function sharedLength(label: string, text: string, at: number, from: From): number {
  const limit = Math.min(label.length, text.length - at);
  let length = 0;
  while (length < limit && unitAt(label, length, from) === unitAt(text, at + length, from)) length++;
  return length;
}

/** Cuts a node in two: the `length` units of its label that are read first stay, the rest becomes its only child. */
function split<Value>(node: Node<Value>, length: number, from: From): void {
  const { label, values, next } = node;
  const cut = from === 'begin' ? length : label.length - length;
  const [before, after] = [label.slice(0, cut), label.slice(cut)];
  const rest: Node<Value> = { label: from === 'begin' ? after : before, values, next };
  node.label = from === 'begin' ? before : after;
  node.values = [];
  node.next = new Map([[unitAt(rest.label, 0, from), rest]]);
}
