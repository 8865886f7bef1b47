import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises';

import { logFile, logFiles } from './files.ts';

/** Bounds of the local log, bytes. */
export interface LogLimits {
  readonly fileBytes: number;
  /** Files that are kept, the current one included. */
  readonly files: number;
  /** Lines that wait for the disk. */
  readonly memoryBytes: number;
}

/**
 * The host's own record of events, one JSON object per line, whatever becomes of the export. `write` never waits; a
 * disk that can't be written costs lines here, counted in `dropped`, and nothing else.
 */
export class LogWriter {
  dropped = 0;
  error: string | null = null;
  readonly #dir: string;
  readonly #limits: LogLimits;
  #lines: string[] = [];
  #waiting = 0;
  #pump: Promise<void> | undefined;
  #file: { readonly handle: FileHandle; readonly number: number; size: number } | undefined;

  constructor(dir: string, limits: LogLimits) {
    this.#dir = dir;
    this.#limits = limits;
  }

  /** Appends one line (without its newline). */
  write(line: string): void {
    if (this.#waiting + line.length > this.#limits.memoryBytes) {
      this.dropped++;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
    // Deferred: the lines of one turn of the event loop are one write.
    this.#pump ??= new Promise<void>((turn) => setImmediate(turn)).then(() => this.#drain());
  }

  /** Resolves when every line so far is written (or dropped). */
  async idle(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  async close(): Promise<void> {
    await this.idle();
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  async #drain(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      this.#waiting = 0;
      try {
        await this.#append(lines);
        this.error = null;
      } catch (error) {
        this.dropped += lines.length;
        this.error = String(error);
        await this.#file?.handle.close().catch(() => undefined);
        this.#file = undefined;
      }
    }
    this.#pump = undefined;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    this.#file ??= await this.#open();
    if (this.#file.size > 0 && this.#file.size + bytes.length > this.#limits.fileBytes) await this.#rotate();
    await this.#file.handle.appendFile(bytes);
    this.#file.size += bytes.length;
  }

  async #open(number = logFiles(this.#dir).at(-1) ?? 1): Promise<{ handle: FileHandle; number: number; size: number }> {
    await mkdir(this.#dir, { recursive: true, mode: 0o750 });
    const handle = await open(logFile(this.#dir, number), 'a+', 0o640);
    const { size } = await handle.stat();
    // A line that a crash cut short is ended, so that it spoils no other.
    const last = size > 0 ? (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString() : '\n';
    if (last !== '\n') await handle.appendFile('\n');
    return { handle, number, size };
  }

  async #rotate(): Promise<void> {
    const before = this.#file;
    this.#file = undefined;
    await before?.handle.close();
    this.#file = await this.#open((before?.number ?? 0) + 1);
    const old = logFiles(this.#dir).slice(0, -this.#limits.files);
    for (const number of old) await unlink(logFile(this.#dir, number)).catch(() => undefined);
  }
}
