import type { JsonObject, JsonValue } from '../../core/json.ts';
import { isSecretFlag, isSecretName, redactText } from './secrets.ts';

/** How much of a value an event carries. */
export interface Limits {
  /** Characters (UTF-16) of one string. */
  readonly text: number;
  /** Items of an array, keys of an object. */
  readonly items: number;
  readonly depth: number;
}

/** A prompt or a tool's result fits; a file's contents don't. */
export const LIMITS: Limits = { text: 16_384, items: 256, depth: 12 };

const REDACTED = '[redacted]';
/** Looked at beyond the limit, so that a credential across the cut is still seen whole. */
const OVERLAP = 512;

/**
 * A copy of `value` that may leave the process: credentials replaced, sizes bounded, every cut marked in its place.
 * Takes anything; what JSON can't carry becomes a string or null.
 */
export function redact(value: unknown, limits: Limits = LIMITS, depth = 0): JsonValue {
  if (typeof value === 'string') return redactString(value, limits);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= limits.depth) return '[truncated: too deep]';
  return Array.isArray(value) ? array(value, limits, depth) : object(value, limits, depth);
}

/** As {@link redact}, for what is known to be an object. */
export function redactObject(value: JsonObject, limits: Limits = LIMITS): JsonObject {
  return object(value, limits, 0);
}

/** One string: credentials replaced, then cut, with the number of characters left out. */
export function redactString(value: string, { text: limit }: Limits): string {
  if (value.length <= limit) return redactText(value);
  const head = redactText(value.slice(0, limit + OVERLAP)).slice(0, limit);
  return `${head}[truncated: ${value.length - limit} more characters]`;
}

function array(values: readonly unknown[], limits: Limits, depth: number): JsonValue {
  const kept: JsonValue[] = [];
  for (const [index, value] of values.slice(0, limits.items).entries()) {
    const before: unknown = values[index - 1];
    const secret = typeof value === 'string' && typeof before === 'string' && isSecretFlag(before);
    kept.push(secret ? REDACTED : redact(value, limits, depth + 1));
  }
  if (values.length > limits.items) kept.push(`[truncated: ${values.length - limits.items} more items]`);
  return kept;
}

function object(value: object, limits: Limits, depth: number): JsonObject {
  const kept: Record<string, JsonValue> = {};
  let count = 0;
  let left = 0;
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    if (item === undefined) continue;
    if (++count > limits.items) left++;
    else {
      const redacted = typeof item === 'string' && isSecretName(key) ? REDACTED : redact(item, limits, depth + 1);
      assign(kept, key.length > 256 ? `${key.slice(0, 256)}…` : key, redacted);
    }
  }
  if (left > 0) kept['truncated'] = `[truncated: ${left} more keys]`;
  return kept;
}

/** Keys come from outside too (a tool's arguments): `__proto__` must become a property like any other. */
function assign(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
