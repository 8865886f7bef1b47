import type { ReadStream, WriteStream } from 'node:tty';

/** The user's terminal while a sandbox with a TTY has it. */
export interface TerminalLease {
  restore(): void;
}

/**
 * Puts the terminal into raw mode and keeps the container's size equal to it, from now on and at every change. It is
 * restored when the process ends, however it ends.
 */
export function takeTerminal(
  stdin: ReadStream | undefined,
  stdout: WriteStream | undefined,
  resize: (size: { columns: number; rows: number }) => void,
): TerminalLease {
  const follow = (): void => {
    if (stdout !== undefined) resize({ columns: stdout.columns, rows: stdout.rows });
  };
  const restore = (): void => {
    stdout?.off('resize', follow);
    process.off('exit', restore);
    // eslint-disable-next-line no-empty -- the terminal is gone: nothing is left to restore.
    try {
      stdin?.setRawMode(false);
    } catch {}
  };
  stdin?.setRawMode(true);
  stdout?.on('resize', follow);
  process.on('exit', restore);
  follow();
  return { restore };
}
