import type { JsonValue } from '../../core/json.ts';
import { pointer } from './decision.ts';
import { type CompiledPatterns, type Finding, findings, redacted } from './patterns.ts';

/** What was found in one text of a value. */
export interface ValueFinding extends Finding {
  /** JSON pointer of the text in the value; '' is the value itself. */
  readonly at: string;
  /** True when the text is a key: keys can't be redacted. */
  readonly key: boolean;
}

/** What was found in a value, and the value with it replaced. */
export interface Inspection {
  readonly findings: readonly ValueFinding[];
  readonly redacted: JsonValue;
}

/** Nesting that is looked into; what is deeper counts as found, since nobody has read it. */
const MAX_DEPTH = 200;

/**
 * Looks at every text of a JSON value: strings, whole numbers as their decimal digits, keys. Each is a text of its
 * own; `^` and `$` are its ends. A number with something found in it becomes a string when it is redacted.
 */
export function inspect(patterns: CompiledPatterns, value: JsonValue): Inspection {
  const found: ValueFinding[] = [];
  const redactedValue = walk(value, '', 0);
  return { findings: found, redacted: redactedValue };

  function walk(item: JsonValue, at: string, depth: number): JsonValue {
    if (typeof item === 'string') return text(item, item, at);
    if (typeof item === 'number') return Number.isSafeInteger(item) ? text(String(item), item, at) : item;
    if (typeof item !== 'object' || item === null) return item;
    if (depth >= MAX_DEPTH) {
      found.push({
        rule: patterns.rules[0]?.pointer ?? '',
        rank: 0,
        name: 'nested too deeply',
        spans: [],
        at,
        key: true,
      });
      return item;
    }
    if (isArray(item)) return item.map((entry, index) => walk(entry, at + pointer(index), depth + 1));
    return Object.fromEntries(
      Object.entries(item).map(([key, entry]) => {
        const where = at + pointer(key);
        found.push(...findings(patterns, key, false).map((finding) => ({ ...finding, at: where, key: true })));
        return [key, walk(entry, where, depth + 1)];
      }),
    );
  }

  function text(content: string, original: string | number, at: string): string | number {
    const here = findings(patterns, content, patterns.action === 'redact');
    if (here.length === 0) return original;
    found.push(...here.map((finding) => ({ ...finding, at, key: false })));
    return redacted(content, here);
  }
}

/** Array.isArray, told apart from readonly arrays. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
