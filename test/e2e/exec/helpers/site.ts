import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { docker } from '../../helpers/docker.ts';
import type { Outcome } from '../../helpers/host.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** Who uses UCP: root, whose helper is a child process, or a member of group docker, whose helper is a container. */
export type Who = 'root' | 'docker-user';

/** One event of `ucpd logs --json`. */
export interface LoggedEvent {
  readonly name: string;
  readonly severity: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly violation?: { readonly rule: string; readonly action: string };
}

/** A user of UCP with a state directory, a signing key and policies. */
export class Site {
  readonly dir = mkdtempSync(join(tmpdir(), 'ucp-exec-'));
  readonly #user: string | undefined;
  #version = 0;

  private constructor(user: string | undefined) {
    this.#user = user;
  }

  static async open(who: Who): Promise<Site> {
    const user = who === 'root' ? undefined : `ucp-exec-${randomBytes(3).toString('hex')}`;
    const site = new Site(user);
    chmodSync(site.dir, 0o755);
    if (user !== undefined) {
      await execa('useradd', ['--system', '--no-create-home', '--groups', 'docker', user]);
      await execa('chown', [user, site.dir]);
    }
    await site.run('ucp-policy', ['keygen', '--out', join(site.dir, 'key')]);
    return site;
  }

  /** Runs a program of ours to its end, as this user. */
  async run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const own = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.dir,
      UCP_STATE_DIR: join(this.dir, 's'),
      UCP_CONFIG: join(this.dir, 'config.yaml'),
      ...env,
    };
    const words = [process.execPath, join(ROOT, 'bin', `${program}.js`), ...args];
    const settings = Object.entries(own).map(([name, value]) => `${name}=${value}`);
    const user = this.#user;
    const [file = '', ...rest] =
      user === undefined
        ? ['env', '-i', ...settings, ...words]
        : ['setpriv', '--reuid', user, '--regid', user, '--init-groups', 'env', '-i', ...settings, ...words];
    const ran = await execa(file, rest, { reject: false, stdin: 'ignore', stripFinalNewline: false });
    return { exitCode: ran.exitCode ?? -1, stdout: ran.stdout, stderr: ran.stderr };
  }

  /** Signs a policy with this exec section; the flags of a run under it. */
  async policy(exec: object): Promise<readonly string[]> {
    this.#version += 1;
    const path = join(this.dir, `policy-${this.#version}.json`);
    writeFileSync(path, JSON.stringify({ policy_id: 'exec', version: this.#version, exec }));
    const signed = await this.run('ucp-policy', ['sign', path, '--key', join(this.dir, 'key')]);
    if (signed.exitCode !== 0) throw new Error(signed.stderr);
    return ['--policy', path, '--policy-key', join(this.dir, 'key.pub')];
  }

  /** Starts a sandbox in the background; its name. */
  async start(image: string, flags: readonly string[], ...command: readonly string[]): Promise<string> {
    const name = `ucp-exec-${randomBytes(4).toString('hex')}`;
    const ran = await this.run('ucp-sandbox', ['run', '-d', '--name', name, ...flags, image, ...command]);
    if (ran.exitCode !== 0) throw new Error(ran.stderr);
    return name;
  }

  async remove(name: string): Promise<void> {
    await this.run('ucp-sandbox', ['rm', '-f', name]);
  }

  async violations(): Promise<readonly LoggedEvent[]> {
    return this.events('exec_violation');
  }

  /** Events of this name, oldest first. */
  async events(wanted: string): Promise<readonly LoggedEvent[]> {
    const { stdout } = await this.run('ucpd', ['logs', '--json']);
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LoggedEvent);
    return events.filter(({ name }) => name === wanted);
  }

  /** Ends the control plane and fails when it left a helper, then removes all else. */
  async [Symbol.asyncDispose](): Promise<void> {
    const owner = await execa('cat', [join(this.dir, 's/owner')], { reject: false });
    await this.run('ucpd', ['stop']);
    const left = await docker('ps', '-aq', '--filter', `label=ucp.owner=${owner.stdout}`);
    if (this.#user !== undefined) await execa('userdel', [this.#user], { reject: false });
    rmSync(this.dir, { recursive: true, force: true });
    if (owner.stdout !== '' && left.stdout !== '') throw new Error(`containers left behind: ${left.stdout}`);
  }
}

/** What a script in a container came to. */
export type Result = 'runs' | 'stopped';

/** Runs all scripts in a container, one after the other, and tells which of them had the witness run. */
export async function runAll(container: string, scripts: readonly string[]): Promise<readonly Result[]> {
  const END = '== end of script ==';
  const whole = scripts
    .map((script) => `( D=/opt/denied; export D; ${script} ) </dev/null 2>&1; echo '${END}'`)
    .join('\n');
  const ran = await execa('docker', ['exec', '-i', container, 'sh'], { input: `${whole}\n`, reject: false });
  const parts = ran.stdout.split(END);
  if (parts.length !== scripts.length + 1) throw new Error(`the scripts did not end: ${ran.stdout} ${ran.stderr}`);
  return parts.slice(0, -1).map((part) => (part.includes('witness ran') ? 'runs' : 'stopped'));
}
