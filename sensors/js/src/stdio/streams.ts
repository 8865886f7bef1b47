import type { Readable, Writable } from 'node:stream';

/** What is put in the way of a stream's bytes. */
export interface Interception {
  /** Bytes that would go on. */
  take(chunk: Buffer): void;
  /** The stream has ended. */
  end(): void;
}

/** A stream with something in its way. */
export interface Intercepted {
  /** Lets bytes go on, as if nothing was in the way. */
  pass(chunk: Buffer): void;
  /** Takes the thing out of the way. */
  restore(): void;
}

type Write = (this: Writable, ...args: unknown[]) => boolean;
type End = (this: Writable, ...args: unknown[]) => Writable;

function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === 'string')
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8');
  const { buffer, byteOffset, byteLength } = chunk as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Stands between where a stream's bytes come from and the program that reads it. */
export function interceptReadable(stream: Readable, on: Interception): Intercepted {
  const { push: original } = stream as unknown as { readonly push: (this: Readable, chunk: unknown) => boolean };
  let ended = false;
  let more = true;
  const push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    more = true;
    if (chunk === null || chunk === undefined) {
      on.end();
      ended = true;
      return original.call(stream, null);
    }
    on.take(bytesOf(chunk, encoding));
    return more;
  };
  stream.push = push;
  return {
    pass: (chunk) => {
      if (!ended) more = original.call(stream, chunk);
    },
    restore: () => {
      if (stream.push === push) Reflect.deleteProperty(stream, 'push');
    },
  };
}

/** Stands between a program that writes to a stream and the stream. */
export function interceptWritable(stream: Writable, on: Interception): Intercepted {
  const { write: originalWrite, end: originalEnd } = stream as unknown as { readonly write: Write; readonly end: End };
  let room = true;
  /** What the program wrote, as it wrote it: what goes on unchanged does so with its arguments. */
  let writing: { readonly bytes: Buffer; readonly args: readonly unknown[]; passed: boolean } | undefined;
  const write: Write = (...args) => {
    const [chunk, encoding] = args;
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return originalWrite.apply(stream, args);
    const bytes = bytesOf(chunk, encoding);
    writing = { bytes, args, passed: false };
    room = true;
    on.take(bytes);
    const { passed } = writing;
    writing = undefined;
    const done = args.find((arg) => typeof arg === 'function');
    if (!passed && done !== undefined) process.nextTick(done);
    return room;
  };
  const end: End = (...args) => {
    const [chunk, encoding] = args;
    const carries = typeof chunk === 'string' || chunk instanceof Uint8Array;
    if (carries) write.call(stream, chunk, typeof encoding === 'string' ? encoding : 'utf8');
    on.end();
    return originalEnd.apply(stream, carries ? args.filter((arg) => typeof arg === 'function') : args);
  };
  Object.assign(stream, { write, end });
  return {
    pass: (chunk) => {
      if (stream.writableEnded || stream.destroyed) return;
      if (writing !== undefined && sameBytes(chunk, writing.bytes)) {
        writing.passed = true;
        room = originalWrite.apply(stream, [...writing.args]);
      } else room = originalWrite.call(stream, chunk);
    },
    restore: () => {
      if (Reflect.get(stream, 'write') === write) Reflect.deleteProperty(stream, 'write');
      if (Reflect.get(stream, 'end') === end) Reflect.deleteProperty(stream, 'end');
    },
  };
}

/** Whether two views are of the very same bytes. */
function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.buffer === other.buffer && one.byteOffset === other.byteOffset && one.length === other.length;
}
