import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa, type ResultPromise } from 'execa';

import { buildNative } from '../../../scripts/build-native.ts';
import { InitSocket } from './init-socket.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../dist/native/ucp-init');

interface DockerRan {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Containers that the real init starts, and the control plane's end of their socket. */
export class InitContainers {
  readonly socket: InitSocket;
  readonly #dir: string;
  readonly #names: string[] = [];

  private constructor(dir: string, socket: InitSocket) {
    this.#dir = dir;
    this.socket = socket;
  }

  static async make(): Promise<InitContainers> {
    await buildNative();
    const dir = mkdtempSync(join(tmpdir(), 'ucp-init-docker-'));
    mkdirSync(join(dir, 'run'));
    chmodSync(join(dir, 'run'), 0o755);
    return new InitContainers(dir, await InitSocket.listen(join(dir, 'run')));
  }

  name(): string {
    const name = `ucp-init-test-${randomBytes(4).toString('hex')}`;
    this.#names.push(name);
    return name;
  }

  /** `docker run` with init as the entrypoint, left to the caller. */
  run(flags: readonly string[], image: string, command: readonly string[]): ResultPromise<{ reject: false }> {
    return execa('docker', this.args(flags, image, command), { reject: false, stripFinalNewline: false });
  }

  /** The arguments of {@link run} for the docker client. */
  args(
    flags: readonly string[],
    image: string,
    command: readonly string[],
    socketDir = join(this.#dir, 'run'),
  ): string[] {
    const mounts = ['-v', `${PROGRAM}:/.ucp/init:ro`, '-v', `${socketDir}:/.ucp/run:ro`];
    return ['run', '--network', 'none', ...mounts, '--entrypoint', '/.ucp/init', ...flags, image, ...command];
  }

  /** An empty directory, as a socket directory that no control plane serves. */
  emptyDir(): string {
    return mkdtempSync(join(this.#dir, 'empty-'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#names.length > 0) await docker('rm', '-f', '-v', ...this.#names);
    await this.socket.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Runs the docker client to its end. */
export async function docker(...args: readonly string[]): Promise<DockerRan> {
  const { exitCode, stdout, stderr } = await execa('docker', args, { reject: false });
  return { exitCode: exitCode ?? -1, stdout, stderr };
}
