/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** A copy of `value`, an object, as JSON has it: what is undefined is left out. */
export function asJson(value: object): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  return copy;
}
