import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Makes this process end by SIGKILL, as by a power cut for it alone, when it comes to `point` for the nth time since
 * `arm`. Points are `before WHAT` and `after WHAT`, where WHAT is `event ACTION`, `rename FILE` (the moment that a file
 * is replaced), `write FILE` (`after`: half of it is written) or `verify`; ` 2` at the end means the second time.
 */
export class Fate {
  readonly #point: string;
  readonly #nth: number;
  #armed = false;
  #seen = 0;

  constructor(text: string) {
    const [, point = '', nth = '1'] = /^(.*?)(?: (\d+))?$/.exec(text) ?? [];
    this.#point = point;
    this.#nth = Number(nth);
  }

  arm(): void {
    this.#armed = true;
  }

  /** Tells that the process is at `point`. */
  at(point: string): void {
    if (!this.#armed || point !== this.#point) return;
    this.#seen += 1;
    if (this.#seen === this.#nth) process.kill(process.pid, 'SIGKILL');
  }

  /** Calls `act` between its two points. */
  around<T>(what: string, act: () => T): T {
    this.at(`before ${what}`);
    const result = act();
    this.at(`after ${what}`);
    return result;
  }

  /** Watches the file system and the signatures of this process: modules see it through Node's live bindings. */
  watch(): void {
    const { renameSync, openSync, writeSync } = fs;
    const { verify } = crypto;
    const names = new Map<number, string>();
    fs.renameSync = (from, to) => this.around(`rename ${nameOf(to)}`, () => renameSync(from, to));
    fs.openSync = (path, ...rest) => {
      const file = openSync(path, ...rest);
      names.set(file, nameOf(path));
      return file;
    };
    fs.writeSync = ((file: number, bytes: Uint8Array, at: number) => {
      const point = `write ${names.get(file) ?? ''}`;
      this.at(`before ${point}`);
      const written = writeSync(file, bytes, at, Math.ceil((bytes.length - at) / 2));
      this.at(`after ${point}`);
      return written;
    }) as typeof fs.writeSync;
    crypto.verify = ((...args: Parameters<typeof verify>) =>
      this.around('verify', () => verify(...args))) as typeof verify;
    syncBuiltinESMExports();
  }
}

/** The file's own name, also of the one that is written aside. */
function nameOf(path: fs.PathLike): string {
  return /([^/]+?)(?:\.\d+\.tmp)?$/.exec(String(path))?.[1] ?? '';
}
