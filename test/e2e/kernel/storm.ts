import type { Container } from './containers.ts';

/** What came of the attempts of storm.c. */
export interface Counts {
  readonly deniedRan: number;
  readonly deniedRefused: number;
  readonly read: number;
  readonly unread: number;
  readonly allowedRan: number;
  readonly allowedRefused: number;
}

/** Processes in a container that execute and open a denied file, and execute a new one each time, until the end. */
export class Storm {
  readonly #box: Container;
  readonly #over: ReturnType<Container['exec']>;

  constructor(box: Container, denied: string, workers = 4) {
    this.#box = box;
    this.#over = box.exec('/opt/storm', String(workers), denied, '/opt/allowed');
  }

  /** Stops it and resolves to what it saw. */
  async end(): Promise<Counts> {
    await this.#box.sh('touch /tmp/stop');
    const { exitCode, stdout, stderr } = await this.#over;
    if (exitCode !== 0) throw new Error(`the storm failed: ${exitCode} ${stderr}`);
    return JSON.parse(stdout) as Counts;
  }
}
