import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import { buildNative } from '../../../scripts/build-native.ts';
import { busybox } from '../../images/index.ts';
import { make } from '../../images/recipe.ts';
import { docker } from '../helpers/docker.ts';
import { KernelConnection } from '../kernel/connection.ts';
import { awaitConnection } from './await-connection.ts';
import { base64, query } from './packets.ts';

const HELPER = resolve(import.meta.dirname, '../../../dist/native/helper');
/** The rights that the control plane gives the helper, and no other. */
const RIGHTS =
  '--network=none --pid=host --read-only --cap-drop ALL --cap-add SYS_ADMIN --cap-add SYS_PTRACE --cap-add NET_ADMIN ' +
  '--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt no-new-privileges';
const RULES = `add table inet ucp
delete table inet ucp
table inet ucp {
  chain dns { type nat hook output priority -110;
    meta mark 0x55 return
    meta l4proto { tcp, udp } th dport 53 redirect to :5053
  }
  chain out { type filter hook output priority filter; policy accept;
    ct direction reply accept
    meta mark 0x55 accept
    ip daddr 127.0.0.11 reject
  }
}`;

/** Containers and networks that end with the test. */
class Engine {
  readonly #made: (readonly string[])[] = [];

  async run(name: string, ...args: readonly string[]): Promise<number> {
    this.#made.unshift(['rm', '-f', '-v', name]);
    await this.#must('run', '-d', '--name', name, ...args);
    return Number(await this.#must('inspect', '-f', '{{.State.Pid}}', name));
  }

  async network(name: string): Promise<void> {
    this.#made.unshift(['network', 'rm', name]);
    await this.#must('network', 'create', name);
  }

  async address(container: string): Promise<string> {
    return this.#must('inspect', '-f', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', container);
  }

  async #must(...args: readonly string[]): Promise<string> {
    const ran = await docker(...args);
    if (ran.exitCode !== 0) throw new Error(ran.stderr);
    return ran.stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const args of this.#made) await docker(...args);
  }
}

describe('the network helper in a container of its own', () => {
  test('serves containers of a user-defined network, and another one takes over when it is killed', async () => {
    await buildNative();
    const box = [await busybox(), 'sleep', '100000'];
    const image = await make({
      name: 'net-helper',
      inputs: ['ucp-net', 'usr/sbin/nft', 'lib/ld.so'].map((name) => readFileSync(join(HELPER, name))),
      changes: ['ENTRYPOINT ["/ucp-net"]'],
      fill: (root) => cpSync(HELPER, root, { recursive: true }),
    });
    const dir = mkdtempSync(join(tmpdir(), 'ucp-net-helper-'));
    const own = `ucp-net-test-${randomBytes(4).toString('hex')}`;
    await using engine = new Engine();
    const launch = async (name: string): Promise<KernelConnection> => {
      const connection = awaitConnection(join(dir, 'net.sock'));
      await engine.run(name, ...RIGHTS.split(' '), '-v', `${dir}:/run/ucp`, image, '--connect', '/run/ucp/net.sock');
      return connection;
    };
    try {
      await engine.network(own);
      await engine.run(`${own}-db`, '--network', own, ...box);
      const pid = await engine.run(`${own}-box`, '--network', own, ...box);
      const address = await engine.address(`${own}-db`);
      const attach = { op: 'attach', sandbox: 'box', pid, generation: 1, rules: RULES };
      const look = async (): ReturnType<typeof docker> =>
        docker('exec', `${own}-box`, 'timeout', '3', 'nslookup', `${own}-db`);

      const first = await launch(`${own}-one`);
      expect((await look()).stdout).toContain(address);
      await first.accepted(attach);
      const ask = { op: 'dns_local', sandbox: 'box', packet: base64(query(`${own}-db`)) };
      const local = Buffer.from(String((await first.accepted(ask))['packet']), 'base64');
      expect([...local.subarray(-4)].join('.')).toBe(address);

      // Passed on as it is, what the box asks comes to us and is answered by the engine's own resolver.
      const looked = look();
      for (const count of [0, 1]) {
        const event = await first.event({ event: 'dns_query', ...(count === 0 ? {} : { transport: 'udp' }) });
        first.events.splice(first.events.indexOf(event), 1);
        const { packet } = await first.accepted({ ...ask, packet: event['packet'] });
        await first.accepted({ op: 'dns_answer', sandbox: 'box', query: event['query'], packet });
      }
      expect((await looked).stdout).toContain(address);

      await docker('kill', `${own}-one`);
      const closed = await look();
      expect(closed.exitCode).not.toBe(0);
      expect(closed.stdout).not.toContain(address);

      const second = await launch(`${own}-two`);
      expect(await second.ask({ op: 'counters', sandbox: 'box' })).toMatchObject({ code: 'NET_SANDBOX_UNKNOWN' });
      await second.accepted(attach);
      expect(await second.accepted(ask)).toMatchObject({ packet: base64(local) });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
