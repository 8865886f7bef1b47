import { type Kind, LIST_METHODS, LISTS } from './methods.ts';
import { isObject, stringAt, type WireObject } from './wire.ts';

/** Whether an entry of a list is to vanish. Called once for each entry that has a name. */
export type Hides = (kind: Kind, name: string, entry: WireObject) => boolean;

/**
 * `result` without the entries that `hides` says; the same object where nothing is hidden. Goes by the shape of the
 * result, not by the request: an answer that belongs to no known request is filtered too. Everything else of the
 * result (`nextCursor`, `ttlMs`, `_meta`) stays: an empty page with a cursor is legal.
 */
export function filterLists(result: WireObject, hides: Hides): WireObject {
  let filtered = result;
  for (const { key, kind, name } of LISTS) {
    const entries = result[key];
    if (!Array.isArray(entries)) continue;
    const kept = entries.filter((entry: unknown) => {
      const named = stringAt(entry, name);
      return named === undefined || !isObject(entry) || !hides(kind, named, entry);
    });
    if (kept.length !== entries.length) filtered = { ...filtered, [key]: kept };
  }
  return filtered;
}

/** Whether a request of this method is answered with a list. */
export function isListMethod(method: string): boolean {
  return Object.hasOwn(LIST_METHODS, method);
}

/** Whether an answer may be a list: not if it belongs to one request, and that asked for something else. */
export function mayList(pending: readonly { readonly method: string }[]): boolean {
  const [one] = pending;
  return one === undefined || pending.length > 1 || isListMethod(one.method);
}

/** Entries in a list result. */
export function listed(result: WireObject): number {
  return LISTS.map(({ key }) => result[key]).find(Array.isArray)?.length ?? 0;
}
