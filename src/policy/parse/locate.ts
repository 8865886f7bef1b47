import { type Node, parseTree } from 'jsonc-parser';

import type { Path } from './problem.ts';

/** Place in a text, from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the place of a path in JSON text: of the value, or of its key; where the path ends early, of its last part. */
export type Locate = (path: Path, atKey?: boolean) => Position;

/** Parses once more, this time for places; only documents with problems pay for it. */
export function locator(text: string): Locate {
  const root = parseTree(text, [], { disallowComments: true, allowTrailingComma: false });
  const lines = lineStarts(text);
  const properties = new Map<Node, Map<string, Node>>();
  const step = (node: Node | undefined, part: string | number): Node | undefined => {
    if (node?.type !== 'object') return node?.children?.[Number(part)];
    const known = properties.get(node) ?? byKey(node);
    properties.set(node, known);
    return known.get(String(part));
  };
  return (path, atKey = false) => {
    let value = root;
    let key: Node | undefined;
    for (const part of path) {
      const next = step(value, part);
      if (next === undefined) break;
      [key, value] = next.type === 'property' ? [next.children?.[0], next.children?.[1]] : [undefined, next];
    }
    const found = atKey && key !== undefined ? key : value;
    return positionAt(lines, found?.offset ?? 0);
  };
}

function byKey(object: Node): Map<string, Node> {
  return new Map(object.children?.map((property) => [String(property.children?.[0]?.value), property]));
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): Position {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
