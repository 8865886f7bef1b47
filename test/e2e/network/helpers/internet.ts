import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa, type Result } from 'execa';

import { docker } from '../../helpers/docker.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { type Certificates, certificates } from './certificates.ts';
import { CERTIFIED, namesOf } from './names.ts';
import { Slot } from './slot.ts';
import { World } from './world.ts';
import type { Asked, Visit, ZoneRecord } from './world/protocol.ts';

/**
 * An internet of the test's own: a network namespace with web sites, a DNS server and streams (world/), which the host
 * and so containers reach by routes to documentation addresses. Needs root. Several can be there side by side. Disposing
 * takes all of it away; what a killed test left is taken away by the next one.
 */
export class Internet implements AsyncDisposable {
  readonly at: Addresses;
  readonly certificates: Certificates;
  /** Of its namespace, of the host's end of the cable to it, and of its Docker network. */
  readonly name: string;
  readonly #slot: Slot;
  readonly #world: World;
  #network: string | undefined;

  private constructor(slot: Slot, made: Certificates, world: World) {
    this.at = addressesOf(slot.index);
    this.certificates = made;
    this.name = nameOf(slot.index);
    this.#slot = slot;
    this.#world = world;
  }

  static async start(): Promise<Internet> {
    if (process.getuid?.() !== 0) throw new Error('the test internet needs root, for network namespaces');
    const slot = await Slot.take();
    const at = addressesOf(slot.index);
    await clear(slot.index);
    await lay(slot.index, at);
    const dir = dirOf(slot.index);
    mkdirSync(dir, { mode: 0o755 });
    const made = await certificates(dir, CERTIFIED);
    const file = join(dir, 'world.json');
    const [cert, key] = [made.cert, made.key].map((path) => readFileSync(path, 'utf8'));
    writeFileSync(file, JSON.stringify({ addresses: inside(at), zone: namesOf(at), cert, key }));
    return new Internet(slot, made, await World.start(nameOf(slot.index), file));
  }

  /** Replaces what the DNS server knows; it starts with {@link namesOf}. */
  async setNames(zone: readonly ZoneRecord[]): Promise<void> {
    await this.#world.ask({ op: 'zone', zone });
  }

  /** Makes the DNS server silent, or speak again; it goes on writing down what it is asked. */
  async setSilent(silent: boolean): Promise<void> {
    await this.#world.ask({ op: 'silence', silent });
  }

  /** Every question that its DNS servers were asked. */
  async asked(): Promise<readonly Asked[]> {
    return (await this.#world.ask({ op: 'seen' })).asked;
  }

  /** Everything that came to its sites. */
  async visits(): Promise<readonly Visit[]> {
    return (await this.#world.ask({ op: 'seen' })).visits;
  }

  /** Runs a program there, for connections to the host; `at.peer` and the sites are its addresses. Never throws. */
  async run(command: string, ...args: readonly string[]): Promise<Result> {
    return execa('ip', ['netns', 'exec', this.name, command, ...args], { reject: false });
  }

  /** A user-defined Docker network with IPv6, from which the internet is reached by both protocols. */
  async network(): Promise<string> {
    if (this.#network === undefined) {
      const subnet = `fd00:ca7:${this.#slot.index}::/64`;
      const made = await docker('network', 'create', '--ipv6', '--subnet', subnet, this.name);
      if (made.exitCode !== 0) throw new Error(made.stderr);
      this.#network = this.name;
    }
    return this.#network;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.stop();
    await clear(this.#slot.index);
    this.#slot.free();
  }
}

function nameOf(slot: number): string {
  return `ucp-inet-${slot}`;
}

/** Certificates and configuration. */
function dirOf(slot: number): string {
  return join(tmpdir(), nameOf(slot));
}

function inside({ allowed, denied, resolver, otherResolver, peer }: Addresses): readonly string[] {
  return [allowed, denied, resolver, otherResolver, peer].flatMap(({ v4, v6 }) => [v4, v6]);
}

/** Namespace, cable, addresses, routes. */
async function lay(slot: number, at: Addresses): Promise<void> {
  const name = nameOf(slot);
  const there = inside(at).map((address) =>
    address.includes(':') ? `addr add ${address}/128 dev eth0 nodad` : `addr add ${address}/32 dev eth0`,
  );
  await ip([`netns add ${name}`, `link add ${name} type veth peer name eth0 netns ${name}`]);
  await ip([
    `addr add ${at.host.v4}/32 dev ${name}`,
    `addr add ${at.host.v6}/128 dev ${name} nodad`,
    `link set ${name} up`,
    ...at.networks.v4.map((network) => `route add ${network} dev ${name} src ${at.host.v4}`),
    `route add ${at.networks.v6} dev ${name} src ${at.host.v6}`,
  ]);
  await ip(
    [
      'link set lo up',
      'link set eth0 up',
      ...there,
      `route add ${at.host.v4} dev eth0`,
      `route add default via ${at.host.v4} dev eth0`,
      `route add ${at.host.v6}/128 dev eth0`,
      `route add ::/0 via ${at.host.v6} dev eth0`,
    ],
    ['-netns', name],
  );
}

async function ip(commands: readonly string[], options: readonly string[] = []): Promise<void> {
  await execa('ip', [...options, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}

/** Takes away all that there is of a slot; says nothing when there is nothing. */
async function clear(slot: number): Promise<void> {
  const name = nameOf(slot);
  rmSync(dirOf(slot), { recursive: true, force: true });
  const { stdout } = await execa('ip', ['netns', 'pids', name], { reject: false });
  for (const pid of stdout.split('\n').filter((line) => line !== '')) process.kill(Number(pid), 'SIGKILL');
  await execa('ip', ['netns', 'delete', name], { reject: false });
  // The namespace lives on for as long as a socket of it does: the cable is cut in any case.
  await execa('ip', ['link', 'delete', name], { reject: false });
  const found = await docker('network', 'inspect', name, '--format', '{{range $id, $_ := .Containers}}{{$id}} {{end}}');
  if (found.exitCode !== 0) return;
  const containers = found.stdout.split(' ').filter((id) => id.trim() !== '');
  if (containers.length > 0) await docker('rm', '-f', '-v', ...containers.map((id) => id.trim()));
  await docker('network', 'rm', name);
}
