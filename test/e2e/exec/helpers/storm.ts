import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../../helpers/docker.ts';
import type { Site } from './site.ts';

/** Loops that execute at once in the sandbox. */
const LOOPS = 3;

/**
 * A sandbox that executes a denied and an allowed program without end. What ran is on files of the host, which no
 * sensor writes: the witness of both.
 */
export class Storm {
  readonly name: string;
  readonly #dir: string;
  readonly #site: Site;

  private constructor(site: Site, name: string, dir: string) {
    this.#site = site;
    this.name = name;
    this.#dir = dir;
  }

  static async start(site: Site, image: string, flags: readonly string[]): Promise<Storm> {
    const dir = join(site.dir, 'storm');
    mkdirSync(dir, { recursive: true, mode: 0o777 });
    for (const name of ['denied', 'allowed']) writeFileSync(join(dir, name), '', { mode: 0o666 });
    const loop = 'while :; do /opt/denied/storm >> /storm/denied 2>/dev/null; /opt/allowed >> /storm/allowed; done';
    const loops = Array.from({ length: LOOPS }, () => `( ${loop} ) &`).join(' ');
    const volume = ['-v', `${dir}:/storm:rw`];
    const name = await site.start(image, [...flags, ...volume], 'sh', '-c', `${loops} wait`);
    return new Storm(site, name, dir);
  }

  /** How often the denied program ran. */
  get denied(): number {
    return readFileSync(join(this.#dir, 'denied'), 'utf8').split('witness ran').length - 1;
  }

  /** Bytes that the allowed program wrote. */
  get allowed(): number {
    return statSync(join(this.#dir, 'allowed')).size;
  }

  /** Resolves when allowed programs have run again, from now on, in every loop. */
  async goesOn(): Promise<void> {
    const before = this.allowed;
    await until('allowed programs run', () => this.allowed >= before + 40 * LOOPS);
  }

  /** Resolves when nothing runs any more: it is looked at ten times in a row. */
  async waits(): Promise<void> {
    let last = -1;
    let still = 0;
    await until('nothing runs', () => {
      still = this.allowed === last ? still + 1 : 0;
      last = this.allowed;
      return still === 10;
    });
  }

  async end(): Promise<void> {
    await this.#site.remove(this.name);
  }
}
