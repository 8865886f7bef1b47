import type { Duplex, Writable } from 'node:stream';

import { endMarker } from '../../core/init-protocol.ts';
import { field } from '../../core/unknown.ts';
import type { Attachment } from '../../engine/engine.ts';
import { FrameReader, type StreamName } from './frames.ts';
import { MarkerFilter } from './marker-filter.ts';

/** Where a container's output goes and who is told what about it. */
export interface OutputTarget {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The end marker's nonce; without one the end of the stream is the end of the output. */
  readonly nonce?: string;
  /** All output of the main process has been taken: every marker was seen, or the stream ended. */
  onComplete(how: 'markers' | 'stream'): void;
  /** The reader of stdout or stderr went away. */
  onBrokenPipe(): void;
}

/**
 * Copies a container's output to ours at the pace of its reader: when a write must wait, so does the engine. On a TTY
 * there is one stream and one marker.
 */
export class OutputPump {
  readonly #stream: Duplex;
  readonly #target: OutputTarget;
  readonly #push: (chunk: Buffer) => void;
  readonly #blocked = new Set<Writable>();
  readonly #ends: (() => void)[] = [];
  #markersLeft = 0;
  #discard = false;
  #started = false;

  /** Nothing is copied before {@link start}. */
  constructor({ stream, tty }: Attachment, target: OutputTarget) {
    this.#stream = stream;
    this.#target = target;
    const stdout = this.#sink('stdout');
    if (tty) {
      this.#push = stdout;
    } else {
      const sinks = { stdout, stderr: this.#sink('stderr') };
      const frames = new FrameReader((name, bytes) => sinks[name](bytes));
      this.#push = (chunk) => frames.push(chunk);
    }
    for (const sink of new Set([target.stdout, target.stderr])) sink.on('error', (error) => this.#onError(error));
  }

  /** Starts copying; a second call changes nothing. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    const stream = this.#stream;
    stream.on('data', (chunk: Buffer) => this.#push(chunk));
    // A connection that breaks ends like one that is closed; why is told by the engine or the control plane.
    stream.on('error', () => undefined);
    stream.once('close', () => this.#onEnd());
    stream.once('end', () => this.#onEnd());
  }

  /** From now on output is read and dropped. */
  discard(): void {
    this.#discard = true;
    this.#blocked.clear();
    this.#stream.resume();
  }

  /** Resolves when all that was copied has left this process. */
  async flushed(): Promise<void> {
    if (this.#discard) return;
    const { stdout, stderr } = this.#target;
    await Promise.all([stdout, stderr].map(flush));
  }

  #sink(name: StreamName): (bytes: Buffer) => void {
    const target = this.#target[name];
    const write = (bytes: Buffer): void => {
      if (!this.#discard && !target.write(bytes)) this.#waitFor(target);
    };
    const { nonce } = this.#target;
    if (nonce === undefined) return write;
    this.#markersLeft += 1;
    const filter = new MarkerFilter(endMarker(nonce), write, () => {
      this.#markersLeft -= 1;
      if (this.#markersLeft === 0) this.#target.onComplete('markers');
    });
    this.#ends.push(() => filter.end());
    return (bytes) => filter.push(bytes);
  }

  #waitFor(target: Writable): void {
    this.#stream.pause();
    if (this.#blocked.has(target)) return;
    this.#blocked.add(target);
    target.once('drain', () => {
      this.#blocked.delete(target);
      if (this.#blocked.size === 0) this.#stream.resume();
    });
  }

  #onEnd(): void {
    for (const end of this.#ends.splice(0)) end();
    this.#target.onComplete('stream');
  }

  #onError(error: unknown): void {
    this.discard();
    if (field(error, 'code') === 'EPIPE') this.#target.onBrokenPipe();
  }
}

async function flush(target: Writable): Promise<void> {
  if (target.writableLength === 0 || target.destroyed) return;
  await new Promise<void>((resolve) => {
    target.once('error', () => resolve());
    target.write('', () => resolve());
  });
}
