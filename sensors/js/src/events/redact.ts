import type { JsonValue } from '../../../../src/core/json.ts';

/** Longest text that an event carries of one value, UTF-16 units. */
const MAX_TEXT = 512;

/** Credentials by their well-known form. Linear: no repetition inside a repetition. */
const KNOWN =
  /\b(?:sk-[\w-]{8,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;

/** What a credential is called: the end of the name of a flag, a variable, a header, a member of an object. */
const LABEL = `(?:token|secret|passw(?:or)?d|passphrase|(?:api|access|secret|private|account)[-_]?key|authorization|credentials?)`;

/** Before a credential in a header. */
const SCHEME = `(?:(?:basic|bearer|digest|negotiate|token)\\s{1,3})`;

/** `token=…`, `password: "…"`, `Authorization: Basic …`, also in JSON and in JSON inside of JSON. */
const LABELLED = new RegExp(
  String.raw`(${LABEL}\\?["']?\s{0,3}[=:]\s{0,3})(?:(")(?:[^"\\]|\\.)*|(\\")[^"\\]*|(')[^']*|(${SCHEME}?)[^\s"'&{][^\s"'&]*)`,
  'gi',
);

/** `--api-key …` */
const FLAG = new RegExp(String.raw`((?:^|\s)--?[\w-]{0,64}${LABEL}\s{1,3}["']?)(?!-)[^\s"']+`, 'gi');

/** `curl -u user:password`, `//user:password@`, `Cookie: name=value` */
const USER = /((?:^|\s)(?:-u|--(?:proxy-)?user)[\s=]{1,3}["']?[^\s:"']{1,128}:)[^\s"']+/g;
const USERINFO = /(:\/\/[^\s/:@]{0,128}:)[^\s/@]{1,256}@/g;
const COOKIE = /(cookie["']?\s{0,3}:\s{0,3}["']?[^\s"'=]{1,128}=)[^"'\r\n]*/gi;

/** An argument after which a credential comes, or a user with its password. */
const ASKS = new RegExp(String.raw`^--?[\w-]{0,64}${LABEL}$`, 'i');
const ASKS_USER = /^(?:-u|--(?:proxy-)?user)$/;

/** The name of a member whose value is a credential. */
const NAMES = new RegExp(`${LABEL}$`, 'i');

/** Of a name, an address, a path or a message. */
const MAX_NAME = 4096;

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
    .replace(LABELLED, '$1$2$3$4$5[redacted]')
    .replace(FLAG, '$1[redacted]')
    .replace(USER, '$1[redacted]')
    .replace(USERINFO, '$1[redacted]@')
    .replace(COOKIE, '$1[redacted]');
  const sure = searched === text ? redacted.length : Math.max(0, redacted.length - LONGEST_SECRET);
  return sure > max || sure < redacted.length ? `${redacted.slice(0, Math.min(sure, max))}…` : redacted;
}

/** The same for names, paths and messages: the address of a resource may carry a password. */
export function redactName(name: string): string {
  return redactSecrets(name, MAX_NAME);
}

/** The same for the arguments of a command, of which one says what the next is. */
export function redactArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    if (ASKS.test(before) && !arg.startsWith('--')) return '[redacted]';
    if (ASKS_USER.test(before)) return redactSecrets(arg.replace(/^([^:]+:).+$/s, '$1[redacted]'));
    return redactSecrets(arg);
  });
}

/** The same for every text in `value`, longer ones kept: prompts and answers. Images and the like are cut with the rest. */
export function redactDeep(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return redactSecrets(value, MAX_CONTENT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 32) return '…';
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactDeep(item, depth + 1));
  const probability = 'logprob' in value; // of a `token` of text
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && !probability && NAMES.test(key) ? '[redacted]' : redactDeep(item, depth + 1),
    ]),
  );
}
