import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { copyNft } from '../../../scripts/copy-nft.ts';
import { until } from '../helpers/docker.ts';
import { KernelConnection } from '../kernel/connection.ts';

const SOURCES = resolve(import.meta.dirname, '../../../sensors/kernel/net');
/** Made once for all test files. */
const BUILD = join(SOURCES, 'build');

/** The network helper as a child of root, built with sanitizers, with nft beside it. */
export class NetHelper {
  readonly #dir: string;
  readonly #child: ChildProcess;
  readonly #err: Buffer[] = [];

  private constructor(dir: string, host: number) {
    this.#dir = dir;
    this.#child = spawn('nsenter', ['-t', String(host), '-n', join(BUILD, 'ucp-net-asan'), '--listen', this.#socket], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#err.push(chunk));
  }

  /** In the network of the process `host`. */
  static async start(host = process.pid): Promise<NetHelper> {
    await execa('make', ['--silent', '-C', SOURCES, 'test-asan'], { stderr: 'inherit' });
    await copyNft(BUILD);
    const helper = new NetHelper(mkdtempSync(join(tmpdir(), 'ucp-net-')), host);
    await until('the helper listens', () => existsSync(helper.#socket) || helper.#child.exitCode !== null);
    return helper;
  }

  get #socket(): string {
    return join(this.#dir, 'net.sock');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** How many descriptors it has open. */
  get descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Connects without a greeting. */
  async connect(): Promise<KernelConnection> {
    const socket = connect(this.#socket);
    await once(socket, 'connect');
    return new KernelConnection(socket);
  }

  async hello(): Promise<KernelConnection> {
    const connection = await this.connect();
    await connection.accepted({ op: 'hello', protocol: 1 });
    return connection;
  }

  /** Fails when the helper did not live until now (a sanitizer ends it), or said anything. */
  async [Symbol.asyncDispose](): Promise<void> {
    const died = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (!died) {
      this.#child.kill();
      await once(this.#child, 'exit');
    }
    rmSync(this.#dir, { recursive: true, force: true });
    const said = Buffer.concat(this.#err).toString();
    if (died || said !== '') throw new Error(`the helper ${died ? 'died' : 'complained'}: ${said}`);
  }
}
