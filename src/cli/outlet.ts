import { once } from 'node:events';
import { Writable } from 'node:stream';

import { EXIT } from './exit-codes.ts';

/** How long what is left of stderr is waited for, ms: nobody has to read it. */
const STDERR_MS = 2_000;

/**
 * Ends the process quietly when nobody reads its answer any more, as SIGPIPE would. `exit` does so; without it the error
 * is only kept from becoming a stack trace, for a run, which sees to the end of its sandbox first.
 */
export function onBrokenPipes(stdout: Writable, stderr: Writable, exit?: (code: number) => void): void {
  stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') exit?.(EXIT.brokenPipe);
  });
  // Whoever closed it does not want to hear why.
  stderr.on('error', () => undefined);
}

/** Resolves when all that was written has left the process, as far as somebody takes it: leaving by `exit` drops the rest. */
export async function drained(stdout: Writable, stderr: Writable): Promise<void> {
  await Promise.all([emptied(stdout), emptied(stderr, STDERR_MS)]);
}

/** Resolves when the stream wants more: a reader that is slow slows the writer down. */
export async function roomIn(stream: object): Promise<void> {
  if (!(stream instanceof Writable) || !stream.writableNeedDrain) return;
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
}

async function emptied(stream: Writable, ms?: number): Promise<void> {
  const end = ms === undefined ? {} : { signal: AbortSignal.timeout(ms) };
  while (stream.writableLength > 0 && !stream.destroyed) {
    const flushed = new Promise<void>((resolve) => stream.write('', () => resolve()));
    await Promise.race([flushed, once(stream, 'close', end)]).catch(() => undefined);
    if (end.signal?.aborted === true) return;
  }
}
