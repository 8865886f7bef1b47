import type { JsonObject } from '../../core/json.ts';

/** What each key of an object must be: true, or what was expected. A key that is not listed is a mistake. */
export type Shape = Readonly<Record<string, (value: unknown) => true | string>>;

/** A value's first mistake and its place (RFC 6901). */
export interface ShapeProblem {
  readonly pointer: string;
  readonly message: string;
}

/** True for an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first mistake in `value`; undefined when it has the shape. */
export function shapeProblem(value: unknown, shape: Shape): ShapeProblem | undefined {
  if (!isObject(value)) return { pointer: '', message: 'expected an object' };
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(shape, key));
  if (unknown !== undefined) return { pointer: `/${unknown}`, message: `unknown key ${JSON.stringify(unknown)}` };
  for (const [key, check] of Object.entries(shape)) {
    const verdict = check(value[key]);
    if (verdict !== true) return { pointer: `/${key}`, message: `${key}: ${verdict}` };
  }
  return undefined;
}
