import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { globListSource } from '../../../src/policy/glob/source.ts';
import { until } from '../helpers/docker.ts';
import { KernelConnection, type Message } from './connection.ts';

const SOURCES = resolve(import.meta.dirname, '../../../sensors/kernel/exec');

const BUILT = resolve(import.meta.dirname, '../../../node_modules/.cache/ucp-asan');

/** What it says of a decider that a test killed. */
const RESTARTED = 'ucp-kernel: the decider died and is started again\n';

/** One anchored source for each glob, so that a rule's index is the glob's. */
export const sources = (...globs: readonly string[]): readonly string[] => globs.map((glob) => globListSource([glob]));

/** What `attach` and `update` need beside the sandbox; enforces nothing. */
export const policy = (changes: Message = {}): Message => ({
  mode: 'enforce',
  drift: 'allow',
  deny: [],
  allow: null,
  generation: 1,
  ...changes,
});

/** Builds the helper with sanitizers, unless it is built. */
export async function buildHelper(): Promise<string> {
  await execa('make', ['--silent', '-C', SOURCES, 'test-asan', `OUT=${BUILT}`], { stderr: 'inherit' });
  return join(BUILT, 'ucp-kernel-asan');
}

/** The helper as a child of root, built with sanitizers, and a connection that has said hello. */
export class KernelHelper {
  readonly dir: string;
  readonly #child: ChildProcess;
  readonly #err: Buffer[] = [];
  #kills = 0;
  #killed = false;

  private constructor(dir: string, program: string) {
    this.dir = dir;
    this.#child = spawn(program, ['--listen', this.#socket], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#err.push(chunk));
  }

  /** Starts the build with sanitizers, or another one. */
  static async start(program?: string): Promise<KernelHelper> {
    const dir = mkdtempSync(join(tmpdir(), 'ucp-kernel-'));
    const helper = new KernelHelper(dir, program ?? (await buildHelper()));
    await until('the helper listens', () => existsSync(helper.#socket) || helper.#child.exitCode !== null);
    return helper;
  }

  /** Kills the process that decides, and resolves when its keeper has another one. */
  async killDecider(): Promise<void> {
    const [decider] = this.#deciders();
    process.kill(Number(decider), 'SIGKILL');
    await until('another decider', () => this.#deciders().some((pid) => pid !== decider));
    this.#kills++;
  }

  /** Kills keeper and decider at once, with `ms` of execs waiting. */
  async killWhole(ms: number): Promise<void> {
    const all = [Number(this.#child.pid), ...this.#deciders().map(Number)];
    for (const pid of all) process.kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    for (const pid of all) process.kill(pid, 'SIGKILL');
    this.#killed = true;
    await once(this.#child, 'exit');
  }

  /** How many descriptors it holds: those of sandboxes outlive its deciders, and nothing else may. */
  get descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  /** Nothing is answered until `work` is done. */
  async withDeciderStopped(work: () => Promise<void>): Promise<void> {
    const [decider] = this.#deciders();
    process.kill(Number(decider), 'SIGSTOP');
    try {
      await work();
    } finally {
      process.kill(Number(decider), 'SIGCONT');
    }
  }

  #deciders(): readonly string[] {
    const { pid } = this.#child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  }

  get #socket(): string {
    return join(this.dir, 'kernel.sock');
  }

  /** Connects without a greeting. */
  async connect(): Promise<KernelConnection> {
    const socket = connect(this.#socket);
    await once(socket, 'connect');
    return new KernelConnection(socket);
  }

  async hello(): Promise<KernelConnection> {
    return greet(await this.connect());
  }

  /** Fails when the helper did not live until now: a sanitizer ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const died = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (!died) {
      this.#child.kill();
      await once(this.#child, 'exit');
    }
    rmSync(this.dir, { recursive: true, force: true });
    const said = Buffer.concat(this.#err).toString();
    if ((died && !this.#killed) || said !== RESTARTED.repeat(this.#kills))
      throw new Error(`the helper ${died ? 'died' : 'complained'}: ${said}`);
  }
}

/** Listens at the path and resolves to the connection that a helper makes to it, greeted. */
export async function awaitHelper(path: string): Promise<KernelConnection> {
  const server = createServer().listen({ path, writableAll: true });
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  return greet(new KernelConnection(socket));
}

async function greet(connection: KernelConnection): Promise<KernelConnection> {
  await connection.accepted({ type: 'hello', protocol: 1 });
  return connection;
}
