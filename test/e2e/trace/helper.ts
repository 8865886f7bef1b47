import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { until } from '../helpers/docker.ts';
import { KernelConnection } from '../kernel/connection.ts';

const SOURCES = resolve(import.meta.dirname, '../../../sensors/kernel/trace');
const BUILT = resolve(import.meta.dirname, '../../../node_modules/.cache/ucp-asan');

/** How the helper is told to do without BPF. */
export const WITHOUT_BPF = '--without-bpf';

/** The helper as a child of root, built with sanitizers. */
export class TraceHelper {
  readonly child: ChildProcess;
  readonly #dir: string;
  readonly #err: Buffer[] = [];

  private constructor(dir: string, program: string, flags: readonly string[]) {
    this.#dir = dir;
    this.child = spawn(program, ['--listen', this.#socket, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child.stderr?.on('data', (chunk: Buffer) => this.#err.push(chunk));
  }

  static async start(...flags: readonly string[]): Promise<TraceHelper> {
    await execa('make', ['--silent', '-C', SOURCES, 'test-asan', `OUT=${BUILT}`], { stderr: 'inherit' });
    const helper = new TraceHelper(mkdtempSync(join(tmpdir(), 'ucp-trace-')), join(BUILT, 'ucp-trace-asan'), flags);
    await until('the helper listens', () => existsSync(helper.#socket) || helper.child.exitCode !== null);
    return helper;
  }

  get #socket(): string {
    return join(this.#dir, 'trace.sock');
  }

  /** Connects without a greeting. */
  async connect(): Promise<KernelConnection> {
    const socket = connect(this.#socket);
    await once(socket, 'connect');
    return new KernelConnection(socket);
  }

  async hello(): Promise<KernelConnection> {
    const connection = await this.connect();
    await connection.accepted({ type: 'hello', protocol: 1 });
    return connection;
  }

  /** Hears nothing of what happens until `work` is done. */
  async whileStopped(work: () => Promise<void>): Promise<void> {
    this.child.kill('SIGSTOP');
    try {
      await work();
    } finally {
      this.child.kill('SIGCONT');
    }
  }

  /** Fails when the helper did not live until now: a sanitizer ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const died = this.child.exitCode !== null || this.child.signalCode !== null;
    if (!died) {
      this.child.kill();
      await once(this.child, 'exit');
    }
    rmSync(this.#dir, { recursive: true, force: true });
    const said = Buffer.concat(this.#err).toString();
    if (died || said !== '') throw new Error(`the helper ${died ? 'died' : 'complained'}: ${said}`);
  }
}
