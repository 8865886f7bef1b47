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

/** Of a text that is not searched to its end so much of the end is left out: it may be half a secret. */
const LONGEST_SECRET = 4096;

/** `text` without what looks like a credential, and bounded. Secrets must not leave the process (DESIGN §7). */
export function redactSecrets(text: string, max = MAX_TEXT): string {
  // Cut after the search, not before: half a secret has no form to be known by.
  const searched = text.slice(0, 2 * max + 2 * LONGEST_SECRET);
  const redacted = searched
    .replace(KNOWN, '[redacted]')
    .replace(LABELLED, '$1[redacted]')
    .replace(USERINFO, '$1[redacted]@');
  const sure = searched === text ? redacted.length : Math.max(0, redacted.length - LONGEST_SECRET);
  return sure > max || sure < redacted.length ? `${redacted.slice(0, Math.min(sure, max))}…` : redacted;
}

/** The same for every text in `value`, longer ones kept: prompts and answers. Images and the like are cut with the rest. */
export function redactDeep(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return redactSecrets(value, MAX_CONTENT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 32) return '…';
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactDeep(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, depth + 1)]));
}
