const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Longest key or id that is looked at, bytes. */
const MAX_TEXT = 256;

/** One message whose text nobody holds: what whoever waits for its answer must know. */
export interface ScannedMessage {
  /** As it was written; undefined: it has none. */
  readonly id?: string | number;
  readonly hasMethod: boolean;
}

/**
 * Finds the ids of the messages in a text of JSON that comes in pieces and is too long to be kept. SDKs write the id last.
 * What is no JSON gives messages that mean nothing, which nobody waits for.
 */
export class IdScan {
  readonly #messages: { id?: string | number; hasMethod: boolean }[] = [];
  #depth = 0;
  /** Depth of the members of a message: 1, or 2 in a batch. */
  #level = 1;
  #inString = false;
  #escaped = false;
  #isKey = false;
  /** The key or the value that is being read at the level of a message. */
  #text = '';
  #key = '';

  /** Takes the next bytes. */
  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (!this.#inString) this.#structure(bytes[at] ?? 0);
      else at = this.#string(bytes, at);
    }
  }

  get messages(): readonly ScannedMessage[] {
    return this.#messages;
  }

  /** Reads on in a string; the index of the last byte that was read. */
  #string(bytes: Buffer, from: number): number {
    if (this.#depth !== this.#level) return this.#skip(bytes, from);
    const byte = bytes[from] ?? 0;
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    this.#keep(byte);
    return from;
  }

  /** Passes over a string that means nothing here: to its end, or to that of the piece. */
  #skip(bytes: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (; at < bytes.length; at += 1) {
      const quote = bytes.indexOf(QUOTE, at);
      const slash = bytes.subarray(at, quote === -1 ? bytes.length : quote).indexOf(BACKSLASH);
      if (slash === -1) {
        if (quote === -1) return bytes.length;
        this.#inString = false;
        return quote;
      }
      at += slash + 1;
      if (at >= bytes.length) this.#escaped = true;
    }
    return at;
  }

  #structure(byte: number): void {
    if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === this.#level) this.#keep(byte);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#close();
    else if (this.#depth !== this.#level) return;
    else if (byte === COLON && this.#isKey) {
      this.#key = this.#text.trim();
      this.#text = '';
      this.#isKey = false;
    } else if (byte === COMMA) this.#member();
    else this.#keep(byte);
  }

  #open(byte: number): void {
    if (this.#depth === 0 && byte === OPEN_ARRAY) this.#level = 2;
    this.#depth += 1;
    if (this.#depth !== this.#level || byte !== OPEN_OBJECT) return;
    this.#messages.push({ hasMethod: false });
    this.#isKey = true;
    this.#text = '';
  }

  #close(): void {
    if (this.#depth === this.#level) this.#member();
    this.#depth -= 1;
  }

  /** A member of a message has ended. */
  #member(): void {
    const message = this.#messages.at(-1);
    if (message !== undefined && !this.#isKey) {
      if (this.#key === '"method"') message.hasMethod = true;
      if (this.#key === '"id"') Object.assign(message, idOf(this.#text.trim()));
    }
    this.#isKey = true;
    this.#key = '';
    this.#text = '';
  }

  #keep(byte: number): void {
    if (this.#text.length < MAX_TEXT) this.#text += String.fromCharCode(byte);
  }
}

function idOf(text: string): { readonly id?: string | number } {
  try {
    const id: unknown = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    return typeof id === 'string' || typeof id === 'number' ? { id } : {};
  } catch {
    return {};
  }
}
