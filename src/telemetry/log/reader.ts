import { open, type FileHandle } from 'node:fs/promises';

import type { Clock } from '../../core/ports.ts';
import { parseStored, type StoredEvent } from '../event/stored-event.ts';
import { Pause } from '../export/pause.ts';
import { logFile, logFiles } from './files.ts';

export interface ReadLogOptions {
  /** Only events that were emitted at or after this time, milliseconds since the epoch. */
  readonly since?: number;
  /** Goes on with what is written from now on, through rotations, until `signal` aborts. */
  readonly follow?: { readonly clock: Clock; readonly signal: AbortSignal; readonly interval?: number };
}

/**
 * The events of the local log in `dir` in the order they were written (what `ucpd logs` prints). Lines that are not
 * events (a write torn by a crash) are passed over. No log yet is an empty log.
 */
export async function* readLog(dir: string, options: ReadLogOptions = {}): AsyncGenerator<StoredEvent> {
  const { since = 0, follow } = options;
  for await (const line of lines(dir, follow)) {
    const event = parseStored(line);
    if (event !== undefined && event.observed >= since) yield event;
  }
}

async function* lines(dir: string, follow: ReadLogOptions['follow']): AsyncGenerator<string> {
  let number = logFiles(dir)[0];
  for (;;) {
    while (number === undefined) {
      if (follow === undefined || !(await pause(follow))) return;
      number = logFiles(dir)[0];
    }
    const handle = await open(logFile(dir, number), 'r').catch(() => undefined);
    if (handle !== undefined) {
      try {
        yield* fileLines(handle, dir, number, follow);
      } finally {
        await handle.close();
      }
    }
    const reached: number = number;
    number = logFiles(dir).find((candidate) => candidate > reached);
    if (number === undefined && (follow === undefined || follow.signal.aborted)) return;
  }
}

/** Lines of one file; when following, until a newer file exists and nothing more came to this one. */
async function* fileLines(
  handle: FileHandle,
  dir: string,
  number: number,
  follow: ReadLogOptions['follow'],
): AsyncGenerator<string> {
  const buffer = Buffer.alloc(64 * 1024);
  let rest = Buffer.alloc(0);
  for (let last = follow === undefined; ;) {
    // Looked at before reading: what was written before the newer file appeared is then read below.
    const newer = logFiles(dir).some((candidate) => candidate > number);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      const whole = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = whole.lastIndexOf(10) + 1;
      rest = whole.subarray(end);
      yield* whole.toString('utf8', 0, end).split('\n');
    }
    if (last || newer) return;
    last = follow === undefined || !(await pause(follow));
  }
}

/** Waits for the next look; false when following has ended. */
async function pause(follow: NonNullable<ReadLogOptions['follow']>): Promise<boolean> {
  if (follow.signal.aborted) return false;
  const wait = new Pause(follow.clock);
  const end = (): void => wait.end();
  follow.signal.addEventListener('abort', end);
  await wait.wait(follow.interval ?? 200);
  follow.signal.removeEventListener('abort', end);
  return !follow.signal.aborted;
}
