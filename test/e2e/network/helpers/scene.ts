import { mkdirSync, writeFileSync } from 'node:fs';

import type { Network } from '../../../../src/policy/index.ts';
import { clients } from '../../../images/index.ts';
import { docker } from '../../helpers/docker.ts';
import { type Outcome, TestHost } from '../../helpers/host.ts';
import { Internet } from './internet.ts';

/** A name that tells the sandboxes of one scene from those of all others. */
let sandboxes = 0;

/** A host with a signed policy and an internet; the names of its sandboxes are asked of that internet's DNS server. */
export class Scene implements AsyncDisposable {
  readonly host: TestHost;
  readonly internet: Internet;
  readonly image: string;
  #version = 0;

  private constructor(host: TestHost, internet: Internet, image: string) {
    this.host = host;
    this.internet = internet;
    this.image = image;
  }

  /** `network` as in a policy; it is in force when this returns. */
  static async start(network: (internet: Internet) => Network): Promise<Scene> {
    const image = await clients();
    const internet = await Internet.start();
    const host = new TestHost();
    const scene = new Scene(host, internet, image);
    mkdirSync(host.path('bucket'));
    await host.policy(['keygen', '--out', host.path('key')]);
    await scene.publish(network(internet));
    writeFileSync(
      host.path('config.yaml'),
      [
        `dns_servers: [${internet.at.resolver.v4}]`,
        'ucpcm:',
        `  policy_url: file://${host.path('bucket')}/`,
        '  policy: policy.json',
        '  policy_sig: policy.json.sig',
        `  public_key: file://${host.path('key.pub')}`,
      ].join('\n'),
    );
    return scene;
  }

  /** Puts other network configurations in force, also around the sandboxes that run. */
  async setNetwork(network: Network): Promise<void> {
    await this.publish(network);
    await this.sync();
  }

  /** Puts what was published in force. */
  async sync(): Promise<void> {
    const synced = await this.host.ucpd(['sync']);
    if (synced.exitCode !== 0) throw new Error(synced.stderr);
  }

  /** Runs a sandbox under the configuration `config` to its end. */
  async run(config: string, command: readonly string[], flags: readonly string[] = []): Promise<Outcome> {
    return this.host.sandbox(['run', ...this.#flags(config), ...flags, this.image, ...command]);
  }

  /** Starts a detached sandbox; what {@link Sandbox.run} runs in it is under its configuration as everything is. */
  async sandbox(
    config: string,
    flags: readonly string[] = [],
    workload: readonly string[] = ['sleep', '600'],
  ): Promise<Sandbox> {
    sandboxes += 1;
    const name = `${this.internet.name}-${process.pid}-${sandboxes}`;
    const command = ['-d', '--name', name, ...this.#flags(config), ...flags, this.image, ...workload];
    const started = await this.host.sandbox(['run', ...command]);
    if (started.exitCode !== 0) throw new Error(started.stderr);
    return new Sandbox(name, this.host);
  }

  /** Violations and observed connections that were reported, oldest first. */
  async events(name: 'network_connect' | 'network_violation'): Promise<readonly LoggedEvent[]> {
    const { stdout } = await this.host.ucpd(['logs', '--json']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as LoggedEvent).filter((event) => event.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    await this.internet[Symbol.asyncDispose]();
  }

  #flags(config: string): readonly string[] {
    // The host's own authorities take the image's place otherwise.
    const trust = ['-v', `${this.internet.certificates.trust}:/ca`, '-e', 'NODE_EXTRA_CA_CERTS=/ca/ca.pem'];
    return ['--network-config', config, ...trust];
  }

  /** Signs and publishes a policy with these configurations; a sync puts it in force. */
  async publish(network: Network): Promise<void> {
    this.#version += 1;
    const path = this.host.path('bucket/policy.json');
    writeFileSync(path, JSON.stringify({ policy_id: 'network', version: this.#version, network }));
    const signed = await this.host.policy(['sign', path, '--key', this.host.path('key')]);
    if (signed.exitCode !== 0) throw new Error(signed.stderr);
  }
}

/** An event of the local log. */
export interface LoggedEvent {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly violation?: { readonly rule: string; readonly action: string; readonly message: string };
}

/** A sandbox that runs until it is disposed of. */
export class Sandbox implements AsyncDisposable {
  readonly name: string;
  readonly #host: TestHost;

  constructor(name: string, host: TestHost) {
    this.name = name;
    this.#host = host;
  }

  /** Runs a program in it; never throws. */
  async run(...command: readonly string[]): Promise<Outcome> {
    return docker('exec', this.name, ...command);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.sandbox(['rm', '-f', this.name]);
  }
}
