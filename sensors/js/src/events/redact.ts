import type { JsonValue } from '../../../../src/core/json.ts';

/** Longest text that an event carries of one value, UTF-16 units. */
const MAX_TEXT = 512;

/** Credentials by their well-known form. Linear: no repetition inside a repetition. */
const KNOWN =
  /\b(?:sk-[\w-]{8,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;

/** `token=…`, `--api-key …`, `password: …`, `Authorization: Bearer …`, `//user:password@`. */
const LABELLED =
  /((?:token|secret|passw(?:or)?d|api[-_]?key|authorization)["']?\s{0,3}[=:]\s{0,3}(?:bearer\s)?)[^\s"'&]+/gi;
const USERINFO = /(:\/\/[^\s/:@]{0,128}:)[^\s/@]{1,256}@/g;

/** Text that an event carries of one prompt or answer. */
const MAX_CONTENT = 16 * 1024;

/** `text` without what looks like a credential, and bounded. Secrets must not leave the process (DESIGN §7). */
export function redactSecrets(text: string, max = MAX_TEXT): string {
  const bounded = text.length > max ? `${text.slice(0, max)}…` : text;
  return bounded.replace(KNOWN, '[redacted]').replace(LABELLED, '$1[redacted]').replace(USERINFO, '$1[redacted]@');
}

/** The same for every text in `value`, longer ones kept: prompts and answers. Images and the like are cut with the rest. */
export function redactDeep(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return redactSecrets(value, MAX_CONTENT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 32) return '…';
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactDeep(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, depth + 1)]));
}
