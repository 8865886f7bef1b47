import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { execa, type ResultPromise } from 'execa';

import { until } from '../../helpers/docker.ts';
import type { Outcome } from '../../helpers/host.ts';

let engines = 0;

/** A web server on every address and the ports given, of each protocol; says its own address to whoever asks. */
const SERVE = `
for (const port of process.argv.slice(1).map(Number)) {
  require('node:http').createServer((q, r) => r.end('hello from ' + q.socket.localAddress)).listen(port, '::');
}
`;
const PORTS = [80, 81, 2375];

/**
 * A Docker engine of the test's own, which may be restarted: in a network namespace with places of its own and with a
 * data directory that goes with it. To its containers the addresses of that namespace are the world. Needs root.
 */
export class OwnEngine implements AsyncDisposable {
  readonly socket: string;
  readonly #name: string;
  readonly #dir: string;
  readonly #liveRestore: boolean;
  #daemon: ResultPromise | undefined;
  #world: ResultPromise | undefined;

  private constructor(name: string, dir: string, liveRestore: boolean) {
    this.#name = name;
    this.#dir = dir;
    this.#liveRestore = liveRestore;
    this.socket = join(dir, 'docker.sock');
  }

  /** `addresses` with servers on ports 80, 81 and 2375 are outside of its containers. */
  static async start(liveRestore: boolean, addresses: readonly string[]): Promise<OwnEngine> {
    engines += 1;
    const dir = mkdtempSync('/var/tmp/ucp-engine-');
    chmodSync(dir, 0o755);
    const engine = new OwnEngine(`ucp-engine-${process.pid}-${engines}`, dir, liveRestore);
    await execa('ip', ['netns', 'add', engine.#name]);
    const lines = ['link set lo up'];
    const local = addresses.map((at) => `addr add ${at}/${at.includes(':') ? '128 nodad' : '32'} dev lo`);
    await execa('ip', ['-netns', engine.#name, '-batch', '-'], { input: [...lines, ...local, ''].join('\n') });
    engine.#world = execa('nsenter', [...engine.#inside, process.execPath, '-e', SERVE, ...PORTS.map(String)], {
      reject: false,
    });
    await engine.launch();
    return engine;
  }

  /** What a client of it needs. */
  get env(): Readonly<Record<string, string>> {
    return { DOCKER_HOST: `unix://${this.socket}` };
  }

  /** Starts the engine, and waits until it answers. */
  async launch(): Promise<void> {
    const out = { file: join(this.#dir, 'log'), append: true };
    const places = ['--data-root', 'data', '--exec-root', 'exec', '--pidfile', 'pid'].map((word) =>
      word.startsWith('--') ? word : join(this.#dir, word),
    );
    const network = ['--bip', '172.31.255.1/24', '--ipv6', '--fixed-cidr-v6', '2001:db8:fff0::/64'];
    const live = this.#liveRestore ? ['--live-restore'] : [];
    const args = ['dockerd', '-H', `unix://${this.socket}`, ...places, ...network, ...live];
    this.#daemon = execa('nsenter', [...this.#inside, ...args], {
      reject: false,
      stdin: 'ignore',
      stdout: out,
      stderr: out,
    });
    await until('the engine answers', async () => (await this.docker('version')).exitCode === 0, 120_000);
  }

  /** Ends the engine; what runs in containers ends with it, or not where it may live on. */
  async halt(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#daemon?.kill(signal);
    await this.#daemon;
    this.#daemon = undefined;
  }

  /** Runs its docker client; never throws. */
  async docker(...args: readonly string[]): Promise<Outcome> {
    const { exitCode, stdout, stderr } = await execa('docker', args, { env: this.env, reject: false });
    return { exitCode: exitCode ?? -1, stdout, stderr };
  }

  /** Gives it an image of the host's engine. */
  async load(image: string): Promise<void> {
    await execa('sh', ['-c', 'env -u DOCKER_HOST docker save "$0" | docker load', image], { env: this.env });
  }

  /** Runs a program in its network namespace; never throws. */
  async run(...command: readonly string[]): Promise<Outcome> {
    const { exitCode, stdout, stderr } = await execa('nsenter', [...this.#inside, ...command], { reject: false });
    return { exitCode: exitCode ?? -1, stdout, stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stdout } = await this.docker('ps', '-aq');
    if (stdout !== '') await this.docker('rm', '-f', ...stdout.split('\n'));
    await this.halt('SIGTERM');
    this.#world?.kill();
    await this.#world;
    await execa('ip', ['netns', 'delete', this.#name], { reject: false });
    // What is still mounted there would be emptied, not removed.
    await execa('sh', ['-c', `grep -o ' ${this.#dir}/[^ ]*' /proc/mounts | xargs -r umount -l`], { reject: false });
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #inside(): readonly string[] {
    return [`--net=/run/netns/${this.#name}`];
  }
}
