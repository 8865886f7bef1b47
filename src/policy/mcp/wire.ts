/** A JSON object of a message, as far as anybody has looked at it. */
export type WireObject = { readonly [key: string]: unknown };

/** True for JSON's objects. */
export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text at `key`; undefined where there is none. */
export function stringAt(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}
