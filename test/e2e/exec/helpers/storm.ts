import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../../helpers/docker.ts';
import type { Site } from './site.ts';

/** Bytes that an allowed program writes in a loop that goes on: some executions. */
const SOME = 40;
type Program = 'denied' | 'allowed';

/** Of a loop: executes it with what it says on a file, and notes when that fails. */
const step = (program: string, file: string, kind: Program): string =>
  `${program} >> /storm/${file} 2>/dev/null || printf x >> /storm/refused-${kind}`;

/**
 * A sandbox that executes a denied and an allowed program without end. What ran and what was refused is on files of the
 * host, which no sensor writes: the witness of both.
 */
export class Storm {
  readonly name: string;
  readonly #dir: string;
  readonly #site: Site;
  readonly #loops: readonly number[];

  private constructor(site: Site, name: string, dir: string, loops: readonly number[]) {
    this.#site = site;
    this.name = name;
    this.#dir = dir;
    this.#loops = loops;
  }

  /** So many loops execute at once in the sandbox. */
  static async start(site: Site, image: string, flags: readonly string[], count = 3): Promise<Storm> {
    const dir = mkdtempSync(join(site.dir, 'storm-'));
    chmodSync(dir, 0o777);
    const loops = Array.from({ length: count }, (_, at) => at);
    const files = ['denied', 'refused-denied', 'refused-allowed', ...loops.map((at) => `allowed-${at}`)];
    for (const name of files) writeFileSync(join(dir, name), '', { mode: 0o666 });
    const script = loops.map((at) => {
      const steps = [step('/opt/denied/storm', 'denied', 'denied'), step('/opt/allowed', `allowed-${at}`, 'allowed')];
      return `( while :; do ${steps.join('; ')}; done ) &`;
    });
    const volume = ['-v', `${dir}:/storm:rw`];
    const name = await site.start(image, [...flags, ...volume], 'sh', '-c', `${script.join(' ')} wait`);
    return new Storm(site, name, dir, loops);
  }

  /** How often the denied program ran. */
  get denied(): number {
    return readFileSync(join(this.#dir, 'denied'), 'utf8').split('witness ran').length - 1;
  }

  /** How often a program could not be executed. */
  refused(program: Program): number {
    return this.#size(`refused-${program}`);
  }

  /** Bytes that the allowed program wrote, in each loop. */
  get allowed(): readonly number[] {
    return this.#loops.map((at) => this.#size(`allowed-${at}`));
  }

  #size(file: string): number {
    return statSync(join(this.#dir, file)).size;
  }

  /** Resolves when allowed programs have run again, from now on, in every loop. */
  async goesOn(): Promise<void> {
    const before = this.allowed;
    await until('allowed programs run in every loop', () =>
      this.allowed.every((size, at) => size >= (before[at] ?? 0) + SOME),
    );
  }

  /** Resolves when nothing runs any more: it is looked at ten times in a row. */
  async waits(): Promise<void> {
    let last = '';
    let still = 0;
    await until('nothing runs', () => {
      const now = this.allowed.join();
      still = now === last ? still + 1 : 0;
      last = now;
      return still === 10;
    });
  }

  async end(): Promise<void> {
    await this.#site.remove(this.name);
  }
}
