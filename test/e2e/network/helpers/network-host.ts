import { mkdirSync, writeFileSync } from 'node:fs';

import type { Network } from '../../../../src/policy/index.ts';
import { clients } from '../../../images/index.ts';
import { type Outcome, TestHost, type TestHostOptions } from '../../helpers/host.ts';
import type { Internet } from './internet.ts';

/** An event of the local log. */
export interface LoggedEvent {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly violation?: { readonly rule: string; readonly action: string; readonly message: string };
}

/** A host whose policy has network configurations and can be changed, and whose names come from a test internet. */
export class NetworkHost extends TestHost {
  readonly #internet: Internet;
  #version = 0;
  #image = '';

  private constructor(internet: Internet, options: TestHostOptions) {
    super(options);
    this.#internet = internet;
  }

  static async start(internet: Internet, network: Network, options: TestHostOptions = {}): Promise<NetworkHost> {
    const host = new NetworkHost(internet, options);
    await host.policy(['keygen', '--out', host.path('key')]);
    mkdirSync(host.path('bucket'));
    await host.#publish(network);
    writeFileSync(
      host.path('config.yaml'),
      [
        `dns_servers: ["${internet.at.resolver.v4}"]`,
        'ucpcm:',
        `  policy_url: file://${host.path('bucket')}/`,
        '  policy: policy.json',
        '  policy_sig: policy.json.sig',
        `  public_key: file://${host.path('key.pub')}`,
      ].join('\n'),
    );
    host.#image = await clients();
    return host;
  }

  /** Brings the next version of the policy into force. */
  async change(network: Network): Promise<void> {
    await this.#publish(network);
    const synced = await this.ucpd(['sync']);
    if (synced.exitCode !== 0) throw new Error(synced.stderr);
  }

  /** Runs a command of the image `clients` under a configuration, in the foreground. */
  run(config: string, command: readonly string[], flags: readonly string[] = []): Promise<Outcome> {
    return this.sandbox(['run', `--network-config=${config}`, ...this.#flags, ...flags, this.#image, ...command]);
  }

  /** Starts a sandbox that stays, by name; throws when it does not start. */
  async detached(name: string, config: string, flags: readonly string[] = [], command = STAY): Promise<void> {
    const all = ['run', '-d', '--name', name, `--network-config=${config}`, ...this.#flags, ...flags];
    const { exitCode, stderr } = await this.sandbox([...all, this.#image, ...command]);
    if (exitCode !== 0) throw new Error(stderr);
  }

  /** Runs a command in a sandbox that stays. */
  exec(name: string, ...command: readonly string[]): Promise<Outcome> {
    return this.sandbox(['exec', name, ...command]);
  }

  /** Events of the local log with these names. */
  async events(...names: readonly string[]): Promise<readonly LoggedEvent[]> {
    const { stdout } = await this.ucpd(['logs', '--json']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as LoggedEvent).filter(({ name }) => names.includes(name));
  }

  get #flags(): readonly string[] {
    return ['-v', `${this.#internet.certificates.trust}:/ca:ro`];
  }

  async #publish(network: Network): Promise<void> {
    this.#version += 1;
    const path = this.path('bucket/policy.json');
    writeFileSync(path, JSON.stringify({ policy_id: 'e2e', version: this.#version, network }));
    await this.policy(['sign', path, '--key', this.path('key')]);
  }
}

const STAY: readonly string[] = ['sleep', '600'];

/** What a client prints of a site, without failing: its answer, or how it was refused. */
export function get(url: string, ...flags: readonly string[]): readonly string[] {
  return ['curl', '--silent', '--show-error', '--max-time', '10', ...flags, url];
}
