import fs from 'node:fs';

import type { SensorPolicyFile } from '../../../../src/core/sensor-protocol.ts';
import { parsePolicyFile } from './file.ts';

const { readFileSync, statSync } = fs;
const every = setInterval;

/** Milliseconds between looks at the file: an update is in force well within a second. */
const LOOK = 300;

/**
 * The policy file and its replacements. A torn or unreadable file changes nothing: the last good policy stays.
 * The file is looked at by stat: it works on every file system and mount, where notifications don't.
 */
export class PolicySource {
  readonly #path: string;
  readonly #onBad: (reason: string) => void;
  #seen = '';
  #current: SensorPolicyFile | undefined;

  constructor(path: string, onBad: (reason: string) => void) {
    this.#path = path;
    this.#onBad = onBad;
    this.#look();
  }

  get current(): SensorPolicyFile | undefined {
    return this.#current;
  }

  /** Calls `onChange` with every later policy, until the program ends; doesn't keep it alive. */
  watch(onChange: (file: SensorPolicyFile) => void): () => void {
    const look = (): void => {
      if (this.#look() && this.#current !== undefined) onChange(this.#current);
    };
    every(look, LOOK).unref();
    return look;
  }

  /** Reads the file if it is another one than last time; true when there is a new policy. */
  #look(): boolean {
    let text: string;
    try {
      const { ino, size, mtimeMs } = statSync(this.#path);
      const mark = `${ino} ${size} ${mtimeMs}`;
      if (mark === this.#seen) return false;
      text = readFileSync(this.#path, 'utf8');
      this.#seen = mark;
    } catch {
      return false; // Absent between two writes, or for good: the last one stays.
    }
    const parsed = parsePolicyFile(text);
    if (typeof parsed === 'string') {
      this.#onBad(parsed);
      return false;
    }
    this.#current = parsed;
    return true;
  }
}
