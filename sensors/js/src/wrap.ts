/** Any function of the program's or of Node's. */
// A wrapper passes arguments through without knowing their types.
export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Replaces `owner[name]` by what `make` returns, which looks the same from outside (name, length, own properties such
 * as `util.promisify.custom`, flags of the property). Does nothing where there is no such function.
 */
export function wrap(owner: object, name: string, make: (original: AnyFunction) => AnyFunction): void {
  const property = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = property?.value;
  if (property === undefined || typeof original !== 'function' || property.configurable === false) return;
  Object.defineProperty(owner, name, { ...property, value: alike(make(original as AnyFunction), original) });
}

/** `wrapped` with what `original` shows: its name, its length, and what else it has (a test's spy counts its calls there). */
export function alike<Wrapped extends object>(wrapped: Wrapped, original: object): Wrapped {
  for (const key of Reflect.ownKeys(original)) {
    const own = Object.getOwnPropertyDescriptor(original, key);
    if (own !== undefined && key !== 'prototype') Object.defineProperty(wrapped, key, own);
  }
  return wrapped;
}

/** `original`, with `see` called first; `see` must not throw. */
export function observed(original: AnyFunction, see: (args: readonly unknown[]) => void): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    see(args);
    return original.apply(this, args);
  };
}

/** Runs `fn`; an error inside is told, never thrown (invariant 5). */
export function guarded(report: (error: unknown) => void, fn: () => void): void {
  try {
    fn();
  } catch (error) {
    report(error);
  }
}
