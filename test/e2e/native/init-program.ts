import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { goLine } from '../../../src/core/init-protocol.ts';
import { InitSocket, type InitConnection } from './init-socket.ts';

const SOURCES = resolve(import.meta.dirname, '../../../sensors/kernel/init');

/** A command that runs this script with these arguments. */
export function sh(script: string, ...args: readonly string[]): readonly string[] {
  return ['sh', '-c', script, 'sh', ...args];
}

/** How an init ended and what it and its workload wrote. */
interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A running init. */
export class InitProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #out: Buffer[] = [];

  constructor(child: ChildProcess) {
    this.child = child;
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => this.#out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    this.ended = new Promise((done) =>
      child.once('close', (code) =>
        done({ code, stdout: Buffer.concat(this.#out), stderr: Buffer.concat(err).toString() }),
      ),
    );
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** Pids of its children; empty when it has ended. */
  children(): readonly string[] {
    try {
      return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      return [];
    }
  }

  /** Resolves when `text` was written on stdout. */
  wrote(text: string): Promise<void> {
    return new Promise((done) => {
      const look = (): void => {
        if (Buffer.concat(this.#out).includes(text)) done();
      };
      this.child.stdout?.on('data', look);
      look();
    });
  }
}

/** The init built with sanitizers and with its socket in a directory of its own. */
export class InitProgram {
  readonly dir = mkdtempSync(join(tmpdir(), 'ucp-init-'));
  readonly #socketDir = join(this.dir, 'run');
  #sockets: InitSocket[] = [];

  static async build(): Promise<InitProgram> {
    const made = new InitProgram();
    const args = ['--silent', '-C', SOURCES, 'test-asan', `OUT=${made.dir}`, `RUN_DIR=${made.#socketDir}`];
    await execa('mkdir', ['-m', '755', made.#socketDir]);
    await execa('make', args);
    return made;
  }

  /** The directory of the socket; empty until {@link listen}. */
  get runDir(): string {
    return this.#socketDir;
  }

  async listen(): Promise<InitSocket> {
    const socket = await InitSocket.listen(this.#socketDir);
    this.#sockets.push(socket);
    return socket;
  }

  /** Starts it with pipes on its descriptors, or with `stdout` on this descriptor. */
  start(
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
    stdout: 'pipe' | number = 'pipe',
  ): InitProcess {
    return this.run([this.path, ...command], env, stdout);
  }

  /** The program's path. */
  get path(): string {
    return join(this.dir, 'ucp-init-asan');
  }

  /** Starts any program the same way: what an init is compared with, or what starts one. */
  run(
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
    stdout: 'pipe' | number = 'pipe',
  ): InitProcess {
    const [program = '', ...args] = command;
    return new InitProcess(
      spawn(program, args, {
        cwd: this.dir,
        // The leak checker traces its process, which init forbids.
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', ASAN_OPTIONS: 'detect_leaks=0', ...env },
        stdio: ['pipe', stdout, 'pipe'],
      }),
    );
  }

  /** An init that has said `ready`, and the connection to answer on. */
  async waiting(command: readonly string[]): Promise<[InitProcess, InitConnection]> {
    const socket = await this.listen();
    const process = this.start(command);
    return [process, await socket.ready()];
  }

  /** The same, let go at once. */
  async going(command: readonly string[], nonce?: string): Promise<[InitProcess, InitConnection]> {
    const started = await this.waiting(command);
    started[1].send(goLine(nonce));
    return started;
  }

  /** Ends all sockets, so that the next test starts with none. */
  async reset(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) await socket.close();
    rmSync(join(this.#socketDir, 'init.sock'), { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reset();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
