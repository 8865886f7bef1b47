import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';

import { docker } from '../helpers/docker.ts';

/** What a script in a container did; `ran`: the witness got to run. */
interface Tried {
  readonly ran: boolean;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A container of the tests, with its first process. */
export class Container {
  readonly name: string;
  readonly pid: number;

  constructor(name: string, pid: number) {
    this.name = name;
    this.pid = pid;
  }

  /** Whether it has the file, seen from outside: no process of it is asked for. */
  has(path: string): boolean {
    return existsSync(`/proc/${this.pid}/root${path}`);
  }

  /** Runs a shell script in it. */
  async sh(script: string): Promise<Tried> {
    return this.exec('sh', '-c', script);
  }

  /** Runs a program in it as `docker exec` does. */
  async exec(...command: readonly string[]): Promise<Tried> {
    const ran = await docker('exec', this.name, ...command);
    return { ...ran, ran: ran.stdout.includes('witness ran') };
  }
}

/** Containers that end with the test. */
export class Containers {
  readonly #image: string;
  readonly #names: string[] = [];

  constructor(image: string) {
    this.#image = image;
  }

  async start(...flags: readonly string[]): Promise<Container> {
    return this.startImage(this.#image, flags);
  }

  async startImage(image: string, flags: readonly string[], ...args: readonly string[]): Promise<Container> {
    const name = `ucp-kernel-test-${randomBytes(4).toString('hex')}`;
    this.#names.push(name);
    const started = await docker('run', '-d', '--name', name, '--network', 'none', ...flags, image, ...args);
    if (started.exitCode !== 0) throw new Error(started.stderr);
    const { stdout } = await docker('inspect', '-f', '{{.State.Pid}}', name);
    return new Container(name, Number(stdout));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#names.length > 0) await docker('rm', '-f', '-v', ...this.#names);
  }
}
