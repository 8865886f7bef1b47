/** Shorter values stand in too many texts by chance. */
const SHORTEST = 4;
const REDACTED = Buffer.from('[secret]');
const EMPTY = Buffer.alloc(0);

/** Takes values out of a stream of bytes, however that is cut, and in the ways that programs write them. */
export class Redactor {
  readonly #patterns: readonly Buffer[];
  /** The end of what came, which may be the beginning of a value. */
  #held: Buffer = EMPTY;

  constructor(values: Iterable<Buffer>) {
    const forms = [...values].flatMap(formsOf).filter(({ length }) => length >= SHORTEST);
    const unique = new Map(forms.map((form) => [form.toString('latin1'), form]));
    // Of two that begin alike the longer one is meant.
    this.#patterns = [...unique.values()].toSorted((a, b) => b.length - a.length);
  }

  /** Bytes that are held back. */
  get held(): number {
    return this.#held.length;
  }

  /** The next bytes, as far as they may pass. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const passed: Buffer[] = [];
    let from = 0;
    for (let found = this.#find(bytes, from); found !== undefined; found = this.#find(bytes, from)) {
      passed.push(bytes.subarray(from, found.at), REDACTED);
      from = found.at + found.length;
    }
    const rest = bytes.subarray(from);
    const held = Math.max(0, ...this.#patterns.map((pattern) => beginningAtEnd(rest, pattern)));
    this.#held = Buffer.from(rest.subarray(rest.length - held));
    passed.push(rest.subarray(0, rest.length - held));
    return Buffer.concat(passed);
  }

  /** What was held back: nothing more came of it. */
  release(): Buffer {
    const held = this.#held;
    this.#held = EMPTY;
    return held;
  }

  #find(bytes: Buffer, from: number): { readonly at: number; readonly length: number } | undefined {
    let first: { readonly at: number; readonly length: number } | undefined;
    for (const pattern of this.#patterns) {
      const at = bytes.indexOf(pattern, from);
      if (at !== -1 && (first === undefined || at < first.at)) first = { at, length: pattern.length };
    }
    return first;
  }
}

/** As it is, in JSON, in a URL, in base64, and each line of several. */
function formsOf(value: Buffer): readonly Buffer[] {
  const text = value.toString('utf8').trim();
  const lines = text.split(/\r?\n/).filter((line) => line.length >= 16);
  const forms = [text, JSON.stringify(text).slice(1, -1), ...encoded(text), ...lines];
  return [value, ...forms.map((form) => Buffer.from(form)), Buffer.from(value.toString('base64'))];
}

function encoded(text: string): readonly string[] {
  try {
    return [encodeURIComponent(text), Buffer.from(text).toString('base64')];
  } catch {
    return [];
  }
}

/** Length of the longest beginning of `pattern`, short of all of it, that `bytes` ends with. */
function beginningAtEnd(bytes: Buffer, pattern: Buffer): number {
  const first = pattern[0] ?? 0;
  const from = Math.max(0, bytes.length - pattern.length + 1);
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (bytes.subarray(at).equals(pattern.subarray(0, length))) return length;
  }
  return 0;
}
