/** How long a possible beginning of the marker is held back, ms: a program may end its turn with a NUL byte. */
const HOLD_MS = 40;

/**
 * Takes the end marker out of a stream of bytes and tells when it came; everything else passes unchanged and in order,
 * whatever it looks like. A chunk that ends like the marker's beginning is held until the next chunk decides, at most
 * {@link HOLD_MS}: past that it is passed on, and the marker is still recognised when its rest follows.
 */
export class MarkerFilter {
  readonly #marker: Buffer;
  readonly #write: (bytes: Buffer) => void;
  readonly #onMarker: () => void;
  /** Bytes of the marker that the stream ends with, and how many of them were passed on already. */
  #matched = 0;
  #leaked = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(marker: Buffer, write: (bytes: Buffer) => void, onMarker: () => void) {
    this.#marker = marker;
    this.#write = write;
    this.#onMarker = onMarker;
  }

  /** Takes the next bytes of the stream. */
  push(chunk: Buffer): void {
    clearTimeout(this.#timer);
    const marker = this.#marker;
    let rest = this.#matched > 0 ? this.#continue(chunk) : chunk;
    for (let at = rest.indexOf(marker); at !== -1; at = rest.indexOf(marker)) {
      this.#pass(rest.subarray(0, at));
      rest = rest.subarray(at + marker.length);
      this.#onMarker();
    }
    if (rest.length === 0) return this.#hold();
    this.#matched = prefixAtEnd(rest, marker);
    this.#pass(rest.subarray(0, rest.length - this.#matched));
    this.#hold();
  }

  /** The stream has ended: what was held back is not the marker. */
  end(): void {
    clearTimeout(this.#timer);
    this.#release();
    this.#matched = 0;
    this.#leaked = 0;
  }

  /** Goes on with a match that an earlier chunk began; what is left of `chunk` when that is decided. */
  #continue(chunk: Buffer): Buffer {
    const marker = this.#marker;
    const wanted = marker.subarray(this.#matched);
    const length = Math.min(wanted.length, chunk.length);
    if (chunk.subarray(0, length).equals(wanted.subarray(0, length))) {
      this.#matched += length;
      if (this.#matched < marker.length) return EMPTY;
      this.#matched = 0;
      this.#leaked = 0;
      this.#onMarker();
      return chunk.subarray(length);
    }
    // Not the marker after all. NUL stands only at its ends, so no other match can begin inside what was held.
    this.#release();
    this.#matched = 0;
    this.#leaked = 0;
    return chunk;
  }

  #hold(): void {
    if (this.#matched > this.#leaked) this.#timer = setTimeout(() => this.#release(), HOLD_MS).unref();
  }

  #release(): void {
    this.#pass(this.#marker.subarray(this.#leaked, this.#matched));
    this.#leaked = this.#matched;
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#write(bytes);
  }
}

const EMPTY = Buffer.alloc(0);

/** Length of the longest beginning of `marker` that `bytes` ends with. */
function prefixAtEnd(bytes: Buffer, marker: Buffer): number {
  const from = Math.max(0, bytes.length - marker.length + 1);
  for (let at = bytes.indexOf(0, from); at !== -1; at = bytes.indexOf(0, at + 1)) {
    const length = bytes.length - at;
    if (bytes.subarray(at).equals(marker.subarray(0, length))) return length;
  }
  return 0;
}
