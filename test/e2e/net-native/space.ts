import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Command, Result } from './commands.ts';

const ACTOR = join(import.meta.dirname, 'actor.ts');

/** A network namespace with a process in it. Only its loopback device is up; 10.0.0.0/8 and fd09::9 are its own, too. */
export class Space {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (result: Result) => void>();
  #next = 1;

  private constructor() {
    this.#child = spawn('unshare', ['--net', process.execPath, ACTOR], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const { id, ...result } = JSON.parse(line) as Result & { id: number };
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  static async make(): Promise<Space> {
    const space = new Space();
    await space.sh('ip link set lo up; ip route add local 10.0.0.0/8 dev lo; ip addr add fd09::9/128 dev lo');
    await space.sh('while ip addr | grep -q tentative; do sleep 0.01; done');
    return space;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async tell(command: Command): Promise<Result> {
    const id = this.#next++;
    const result = new Promise<Result>((done) => this.#waiting.set(id, done));
    this.#child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
    return result;
  }

  /** The same, for what must not fail. */
  async done(command: Command): Promise<Result> {
    const result = await this.tell(command);
    if (result.error !== '') throw new Error(result.error);
    return result;
  }

  /** Runs a script there, with BusyBox's `ip`; its output. */
  async sh(script: string): Promise<string> {
    const { got } = await this.done({ do: 'sh', script: `ip() { busybox ip "$@"; }\n${script}` });
    return got[0] ?? '';
  }

  /** What became of a connection: '' when there was one, else its error. */
  async connect(address: string, port: number): Promise<string> {
    return (await this.tell({ do: 'tcp', address, port, data: '', until: 0, end: true })).error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
