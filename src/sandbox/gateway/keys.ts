/**
 * Keys by which one message can mean two things to two readers: the same key twice in an object (the first or the last
 * may count), and keys of the protocol in other letters (Go's `encoding/json` takes `Name` for `name`).
 */

/** What an object is in a message: decides which keys the protocol gives it. */
type Role =
  | 'message'
  | 'params'
  | 'ref'
  | 'filter'
  | 'result'
  | 'entry'
  | 'requests'
  | 'request'
  | 'answers'
  | 'answer'
  | 'other';

const KEYS: Readonly<Record<Role, readonly string[]>> = {
  message: ['jsonrpc', 'id', 'method', 'params', 'result', 'error'],
  params: ['name', 'uri', 'arguments', 'ref', 'taskId', 'inputResponses', 'notifications'],
  ref: ['type', 'name', 'uri'],
  filter: ['resourceSubscriptions'],
  result: ['tools', 'resources', 'resourceTemplates', 'prompts', 'serverInfo', 'inputRequests'],
  entry: ['name', 'uri', 'uriTemplate'],
  requests: [],
  request: ['method', 'params'],
  answers: [],
  answer: ['action', 'content', 'roots', 'role', 'model'],
  other: [],
};

/** Role of the value at a key, by the role of its object. */
const WITHIN: Readonly<Record<Role, Readonly<Record<string, Role>>>> = {
  message: { params: 'params', result: 'result' },
  params: { ref: 'ref', inputResponses: 'answers', notifications: 'filter' },
  result: {
    tools: 'entry',
    resources: 'entry',
    resourceTemplates: 'entry',
    prompts: 'entry',
    inputRequests: 'requests',
  },
  ref: {},
  filter: {},
  entry: {},
  requests: {},
  request: { params: 'params' },
  answers: {},
  answer: {},
  other: {},
};

const fold = (key: string): string => key.normalize('NFKC').toLowerCase();
const FOLDED: Readonly<Record<Role, ReadonlySet<string>>> = {
  message: new Set(KEYS.message.map(fold)),
  params: new Set(KEYS.params.map(fold)),
  ref: new Set(KEYS.ref.map(fold)),
  filter: new Set(KEYS.filter.map(fold)),
  result: new Set(KEYS.result.map(fold)),
  entry: new Set(KEYS.entry.map(fold)),
  requests: new Set(),
  request: new Set(KEYS.request.map(fold)),
  answers: new Set(),
  answer: new Set(KEYS.answer.map(fold)),
  other: new Set(),
};

interface Frame {
  readonly role: Role;
  /** Undefined for an array. */
  readonly keys: Set<string> | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** What is ambiguous about the keys of `text`, which must be JSON; undefined when nothing is. Linear in its length. */
export function keyProblem(text: string): string | undefined {
  const scan = new Scan();
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== QUOTE) {
      scan.structure(code);
      continue;
    }
    const end = endOfString(text, at);
    const problem = scan.expectsKey ? scan.key(keyText(text, at, end)) : undefined;
    if (problem !== undefined) return problem;
    at = end;
  }
  return undefined;
}

class Scan {
  expectsKey = false;
  readonly #frames: Frame[] = [];
  /** Role of the value that comes next. */
  #next: Role = 'message';

  structure(code: number): void {
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      const object = code === OPEN_OBJECT;
      this.#frames.push({ role: this.#next, keys: object ? new Set() : undefined });
      this.expectsKey = object;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      this.#frames.pop();
      this.expectsKey = false;
    } else if (code === COMMA) {
      const top = this.#frames.at(-1);
      this.expectsKey = top?.keys !== undefined;
      // Members of an array are what the array is: a batch of messages, a list of entries.
      if (top !== undefined) this.#next = top.role;
    }
  }

  key(key: string): string | undefined {
    this.expectsKey = false;
    const top = this.#frames.at(-1);
    if (top?.keys === undefined) return undefined;
    if (top.keys.has(key)) return `the key ${JSON.stringify(key)} is in one object twice`;
    top.keys.add(key);
    this.#next = roleWithin(top.role, key);
    if (top.role === 'other' || KEYS[top.role].includes(key) || !FOLDED[top.role].has(fold(key))) return undefined;
    return `the key ${JSON.stringify(key)} may be read as another one`;
  }
}

/** Requests and answers of the era 2026-07-28 stand under keys that a server makes up. */
function roleWithin(role: Role, key: string): Role {
  if (role === 'requests') return 'request';
  if (role === 'answers') return 'answer';
  return Object.hasOwn(WITHIN[role], key) ? (WITHIN[role][key] ?? 'other') : 'other';
}

/** Index of the quote that ends the string beginning at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  const decoded: unknown = JSON.parse(text.slice(start, end + 1));
  return String(decoded);
}
