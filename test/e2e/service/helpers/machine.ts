import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { execa, type Options, type ResultPromise } from 'execa';

import { systemd } from '../../../images/systemd.ts';
import { docker, until } from '../../helpers/docker.ts';
import type { Outcome } from '../../helpers/host.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const SOCKET = '/var/run/docker.sock';
/** What systemd needs as PID 1 of a container that is not privileged, and the service to wall itself in. */
const RIGHTS = '--cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt seccomp=unconfined --cgroupns=host'
  .concat(' -v /sys/fs/cgroup:/sys/fs/cgroup:rw --tmpfs /run --tmpfs /tmp')
  .split(' ');

/**
 * A machine with a real systemd, which uses this host's engine. The engine resolves mount sources here, so programs and
 * state are in one directory that has the same path on both sides.
 */
export class Machine {
  /** Where programs and state are; on both sides. */
  readonly dir: string;
  readonly #container: string;

  private constructor(dir: string, container: string) {
    this.dir = dir;
    this.#container = container;
  }

  /** Boots one. The directory is neither in a home nor in /tmp: those are closed to the service. */
  static async boot(): Promise<Machine> {
    const image = await systemd();
    const dir = mkdtempSync('/var/lib/ucp-e2e-');
    chmodSync(dir, 0o755);
    mkdirSync(join(dir, 'state'));
    const mounts = [`${SOCKET}:/run/docker.sock`, `${dir}:${dir}`, `${ROOT}:/src:ro`].flatMap((mount) => ['-v', mount]);
    const { stdout } = await execa('docker', ['run', '-d', ...RIGHTS, ...mounts, image]);
    const machine = new Machine(dir, stdout);
    await machine.#booted();
    return machine;
  }

  /** Shuts it down, does what happens meanwhile, and boots it again: /run and /tmp are new, the rest is as it was. */
  async reboot(meanwhile: () => Promise<void>): Promise<void> {
    await docker('stop', '-t', '60', this.#container);
    await meanwhile();
    await docker('start', this.#container);
    await this.#booted();
  }

  async #booted(): Promise<void> {
    await until(
      'systemd has booted',
      async () => {
        const state = (await this.run('systemctl', 'is-system-running')).stdout;
        return state === 'running' || state === 'degraded';
      },
      120_000,
    );
  }

  /** Installs the service as an operator does, with its state in the shared directory. */
  async install(): Promise<Outcome> {
    this.configure('edition: free\n');
    await this.write('/etc/ucp/ucpd.env', `UCP_STATE_DIR=${this.dir}/state\n`);
    await this.dropIn('shared', `ReadWritePaths=${this.dir}`);
    return this.installer('--config', `${this.dir}/config.yaml`);
  }

  /** Writes the service's configuration. */
  configure(text: string): void {
    writeFileSync(join(this.dir, 'config.yaml'), text);
  }

  installer(...args: readonly string[]): Promise<Outcome> {
    return this.run('env', `PREFIX=${this.dir}`, '/src/scripts/install-service.sh', ...args);
  }

  /** Settings on top of the unit, as `systemctl edit` makes them. */
  async dropIn(name: string, ...lines: readonly string[]): Promise<void> {
    await this.write(`/etc/systemd/system/ucpd.service.d/${name}.conf`, ['[Service]', ...lines, ''].join('\n'));
    await this.run('systemctl', 'daemon-reload');
  }

  async write(path: string, text: string): Promise<void> {
    await execa('docker', ['exec', '-i', this.#container, 'sh', '-c', `mkdir -p "$(dirname ${path})"; cat >${path}`], {
      input: text,
    });
  }

  /** Runs a program as root; never throws. */
  run(...command: readonly string[]): Promise<Outcome> {
    return docker('exec', this.#container, ...command);
  }

  /** Sends a signal to the service's process. */
  async signal(name: 'HUP' | 'KILL' | 'STOP'): Promise<void> {
    const pid = await this.unit('MainPID');
    // `kill` takes 0 for whoever calls it.
    if (pid === '0')
      throw new Error(`expected a service that runs: ${(await this.run('systemctl', 'status', 'ucpd')).stdout}`);
    await this.run('sh', '-c', `kill -${name} ${pid}`);
  }

  /** Runs a program as a user. */
  as(user: string, ...command: readonly string[]): Promise<Outcome> {
    return docker('exec', '-u', user, '-e', `HOME=/home/${user}`, this.#container, ...command);
  }

  /** One of UCP's programs, as root. */
  ucp(program: 'ucpd' | 'ucp-sandbox', ...args: readonly string[]): Promise<Outcome> {
    return this.run(`${this.dir}/bin/${program}`, ...args);
  }

  /** `ucp-sandbox`, left to the caller. */
  spawn(args: readonly string[], options: Options): ResultPromise {
    const command = ['exec', '-i', this.#container, `${this.dir}/bin/ucp-sandbox`, ...args];
    return execa('docker', command, { reject: false, ...options });
  }

  /** A property of the service's unit. */
  async unit(property: string): Promise<string> {
    return this.property('ucpd', property);
  }

  async property(unit: string, property: string): Promise<string> {
    return (await this.run('systemctl', 'show', '-p', property, '--value', unit)).stdout;
  }

  /** Makes a user in these groups; `docker` is the group of the engine's socket. */
  async addUser(name: string, ...groups: readonly ('docker' | 'ucp')[]): Promise<void> {
    await this.run('groupadd', '-f', '-g', String(statSync(SOCKET).gid), 'docker');
    await this.run('useradd', '-m', ...(groups.length === 0 ? [] : ['-G', groups.join(',')]), name);
  }

  async close(): Promise<void> {
    await docker('rm', '-f', '-v', this.#container);
    rmSync(this.dir, { recursive: true, force: true });
  }
}
