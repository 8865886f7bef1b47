/** Which stream of the container a frame belongs to. */
export type StreamName = 'stdout' | 'stderr';

const HEADER = 8;

/**
 * Cuts the engine's multiplexed stream (without a TTY) into payloads: each frame is one byte for the stream, three
 * zeros, the length as 32-bit big endian, then the payload. Payloads are passed on as they come, also in part:
 * nothing is buffered but an incomplete header.
 */
export class FrameReader {
  readonly #onPayload: (stream: StreamName, bytes: Buffer) => void;
  #header = Buffer.alloc(0);
  #stream: StreamName = 'stdout';
  #left = 0;

  constructor(onPayload: (stream: StreamName, bytes: Buffer) => void) {
    this.#onPayload = onPayload;
  }

  /** Takes the next bytes of the connection. */
  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left === 0) {
        rest = this.#readHeader(rest);
      } else {
        const payload = rest.subarray(0, this.#left);
        this.#left -= payload.length;
        rest = rest.subarray(payload.length);
        this.#onPayload(this.#stream, payload);
      }
    }
  }

  #readHeader(bytes: Buffer): Buffer {
    const missing = HEADER - this.#header.length;
    const header =
      this.#header.length === 0
        ? bytes.subarray(0, missing)
        : Buffer.concat([this.#header, bytes.subarray(0, missing)]);
    if (header.length < HEADER) {
      this.#header = Buffer.from(header);
    } else {
      this.#header = EMPTY;
      this.#stream = header[0] === 2 ? 'stderr' : 'stdout';
      this.#left = header.readUInt32BE(4);
    }
    return bytes.subarray(missing);
  }
}

const EMPTY = Buffer.alloc(0);
