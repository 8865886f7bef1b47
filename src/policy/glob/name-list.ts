import { Buckets } from './buckets.ts';
import { earlier, type List } from './list.ts';

/**
 * How names of tools, prompts and servers are compared: Unicode compatibility forms are one (NFKC), white space around
 * the name is none. Case matters.
 */
export function canonicalName(name: string): string {
  return name.normalize('NFKC').trim();
}

/**
 * Prepares a list of names. `*` stands for any text, slashes included; every other character means itself. Both the
 * names of the list and those asked for are compared in their canonical form.
 */
export function nameList(names: readonly string[]): List {
  const exact = new Map<string, number>();
  const wild = [];
  for (const [index, entry] of names.entries()) {
    const name = canonicalName(entry);
    if (name.includes('*')) {
      const parts = name.split('*');
      wild.push({ index, prefix: parts[0] ?? '', suffix: parts.at(-1) ?? '', test: wildTest(parts) });
    } else if (!exact.has(name)) exact.set(name, index);
  }
  const buckets = new Buckets(wild);
  return {
    find(text) {
      const name = canonicalName(text);
      return buckets.find(name, earlier(-1, exact.get(name)));
    },
  };
}

/** `parts` in this order, the first at the begin, the last at the end: each takes its first place after the one before. */
function wildTest(parts: readonly string[]): (text: string) => boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(1, -1);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}
