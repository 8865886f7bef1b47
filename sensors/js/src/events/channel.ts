import fs from 'node:fs';
import type net from 'node:net';

import { builtin } from '../load/builtin.ts';

/** Taken before any hook wraps it: a log of ours must not become an event of ours. */
const writeSync = fs.writeSync;
const setTimer = setTimeout;

let connect: typeof net.connect | undefined;

/** Taken the first time, which is before the program gets the module (hooks.ts). */
function connection(): typeof net.connect {
  return (connect ??= (builtin('node:net') as typeof net).connect);
}

/** Milliseconds between attempts to reach the socket: first and largest. */
const RETRY = { first: 250, largest: 5000 } as const;

/** Deno's descriptors are not the kernel's: there the stream itself is written, up to so many bytes that it holds. */
const STREAMED = process.versions['deno'] === undefined ? 0 : 256 * 1024;

/** What libuv keeps behind a net.Socket: the pipe's descriptor. */
interface WithDescriptor {
  readonly _handle?: { readonly fd?: number } | null;
}

/** What a channel tells its owner. */
export interface ChannelListener {
  /** The socket takes lines. */
  ready(): void;
  /** The control plane said something: look at the policy. */
  hint(): void;
  /** These lines were taken by {@link Channel.write} and never left whole; the first may lack its beginning. */
  lost(lines: string): void;
}

/**
 * The way to the control plane: a Unix stream socket written with write(2) on its non-blocking descriptor, so that a
 * violation has left the process when the call returns, and nothing waits when the socket is full. Never keeps the
 * program alive, never raises.
 */
export class Channel {
  readonly #path: string;
  readonly #on: ChannelListener;
  #socket: net.Socket | undefined;
  #rest: Buffer | undefined;
  #delay: number = RETRY.first;
  #begun = false;

  constructor(path: string, on: ChannelListener) {
    this.#path = path;
    this.#on = on;
  }

  /**
   * Connects, the first time that it is called: as late as can be, because Node's network modules take longer to load than
   * all the rest of a preload. Can be written to at once.
   */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#open();
  }

  /** Whether there is a connection; a full one still counts. */
  get open(): boolean {
    return this.#fd >= 0;
  }

  /** Writes `bytes` (whole lines), and keeps none of them; false when the socket takes nothing now. A cut line is completed first. */
  write(bytes: Buffer): boolean {
    if (!this.#finishRest()) return false;
    const written = this.#put(bytes);
    if (written === 0 && bytes.length > 0) return false;
    if (written < bytes.length) this.#rest = Buffer.from(bytes.subarray(written));
    return true;
  }

  get #fd(): number {
    const socket = this.#socket as WithDescriptor | undefined;
    return socket?._handle?.fd ?? -1;
  }

  #finishRest(): boolean {
    if (this.#rest === undefined) return true;
    const written = this.#put(this.#rest);
    this.#rest = written === this.#rest.length ? undefined : this.#rest.subarray(written);
    return this.#rest === undefined;
  }

  /** Bytes that the kernel took: 0 when it takes none. */
  #put(bytes: Buffer): number {
    const fd = this.#fd;
    if (fd < 0) return 0;
    if (STREAMED > 0) return this.#stream(bytes);
    try {
      return writeSync(fd, bytes);
    } catch {
      return 0; // EAGAIN: full. EPIPE and the like: 'close' follows and reconnects.
    }
  }

  #stream(bytes: Buffer): number {
    const socket = this.#socket;
    if (socket === undefined || socket.writableLength > STREAMED) return 0;
    socket.write(Buffer.from(bytes));
    return bytes.length;
  }

  #open(): void {
    const socket = connection()({ path: this.#path });
    this.#socket = socket;
    socket.unref();
    socket.on('connect', () => {
      this.#delay = RETRY.first;
      this.#on.ready();
    });
    socket.on('data', () => this.#on.hint());
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#socket = undefined;
      if (this.#rest !== undefined) this.#on.lost(this.#rest.toString('latin1'));
      this.#rest = undefined; // The reader has lost its half of the line too.
      setTimer(() => this.#open(), this.#delay).unref();
      this.#delay = Math.min(this.#delay * 2, RETRY.largest);
    });
  }
}
