import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import { expectEvents } from './helpers/expect-events.ts';
import { Scene } from './helpers/scene.ts';

/** A web server on 8080 that says who asked. */
const SERVE = [
  'node',
  '-e',
  `require('node:http').createServer((q, r) => r.end('for ' + q.socket.remoteAddress)).listen(8080, '::')`,
];

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start(({ at }) => ({
    everybody: { remediate: true, egress: [], ingress: [{ ports: [8080], from: ['0.0.0.0/0', '::/0'] }] },
    peer: { remediate: true, egress: [], ingress: [{ ports: ['8000-8999'], from: [`${at.peer.v4}/32`] }] },
    host: { remediate: true, egress: [], ingress: [{ ports: [8080], from: ['127.0.0.1'] }] },
    neighbours: { remediate: true, egress: [], ingress: [{ ports: [8080], from: ['172.16.0.0/12'] }] },
    both: { remediate: true, egress: [], ingress: [{ ports: [8080], from: ['0.0.0.0/0', '::/0'] }] },
    narrow: { remediate: true, egress: [], ingress: [{ ports: [8080], from: [at.networks.v6] }] },
    six: { remediate: true, egress: [], ingress: [{ ports: [8080], from: ['fd00::/8'] }] },
    open: { remediate: true, egress: [] },
    nobody: { remediate: true, egress: [], ingress: [] },
    watched: { remediate: false, egress: [], ingress: [] },
  }));
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A server under a configuration, published with this flag; the address and port where the host has it. */
async function serving(config: string, publish: string, flags: readonly string[] = []) {
  const box = await scene.sandbox(config, ['-p', publish, ...flags], SERVE);
  const listed = await scene.host.sandbox(['ports', box.name, '--json']);
  const [{ address = '' } = {}] = JSON.parse(listed.stdout) as { address?: string }[];
  await until('it listens', async () => {
    const said = await box.run('sh', '-c', 'curl -s --max-time 2 http://127.0.0.1:8080/');
    return said.stdout.startsWith('for ');
  });
  return { box, address, port: Number(address.split(':').at(-1)) };
}

/** What the host gets; '' where it is refused. */
async function fromHost(address: string): Promise<string> {
  return (await execa('curl', ['-s', '--max-time', '5', `http://${address}/`], { reject: false })).stdout;
}

async function fromPeer(port: number, from?: string): Promise<string> {
  const { host, peer } = scene.internet.at;
  const args = ['-s', '--max-time', '5', '--interface', from ?? peer.v4, `http://${host.v4}:${port}/`];
  return String((await scene.internet.run('curl', ...args)).stdout);
}

/** What a computer next to the host gets of a port by IPv6. */
async function fromPeer6(port: number): Promise<string> {
  const { host, peer } = scene.internet.at;
  const args = ['-s', '--max-time', '5', '--interface', peer.v6, `http://[${host.v6}]:${port}/`];
  return String((await scene.internet.run('curl', ...args)).stdout);
}

/** Runs `work` in an IPv6 network of the engine's that was made a moment before. */
async function inNewNetwork<T>(turn: number, work: (network: string) => Promise<T>): Promise<T> {
  const name = `${scene.internet.name}-new-${turn}`;
  const made = await docker(
    'network',
    'create',
    '--ipv6',
    '--subnet',
    `fd00:ca8:${(process.pid % 65_536).toString(16)}:${turn}::/64`,
    name,
  );
  if (made.exitCode !== 0) throw new Error(made.stderr);
  try {
    return await work(name);
  } finally {
    await docker('network', 'rm', name);
  }
}

/** What a plain container on the same network gets of an address. */
async function fromContainer(address: string): Promise<string> {
  return (await docker('run', '--rm', scene.image, 'curl', '-s', '--max-time', '5', `http://${address}/`)).stdout;
}

async function addressOf(name: string): Promise<string> {
  return (await docker('inspect', '-f', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', name)).stdout;
}

describe('a port under ingress rules', () => {
  verifies(['BC-3282'], 'is reachable at the address and port of the host that `run` and `ports` tell', async () => {
    for (const config of ['everybody', 'host', 'open']) {
      const { box, address } = await serving(config, '8080');
      await using _ = box;
      expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
      expect([config, await fromHost(address)]).toEqual([config, expect.stringMatching(/^for /)]);
    }
    const { box, address, port } = await serving('everybody', '0.0.0.0::8080');
    await using _ = box;
    expect(await fromHost(address.replace('0.0.0.0', '127.0.0.1'))).toMatch(/^for /);
    expect(await fromHost(`${scene.internet.at.host.v4}:${port}`)).toMatch(/^for /);
    expect(await fromPeer(port)).toContain(scene.internet.at.peer.v4);
  });

  verifies(['NET-30'], 'is refused for sources that no rule has, and for all where there is none', async () => {
    const { allowed } = scene.internet.at;
    {
      const { box, port } = await serving('peer', '0.0.0.0::8080');
      await using _ = box;
      expect(await fromPeer(port)).toContain(scene.internet.at.peer.v4);
      expect(await fromPeer(port, allowed.v4)).toBe('');
      expect(await fromHost(`127.0.0.1:${port}`)).toBe('');
      expect(await fromContainer(`172.17.0.1:${port}`)).toBe('');
    }
    {
      const { box, address } = await serving('nobody', '8080');
      await using _ = box;
      expect(await fromHost(address)).toBe('');
    }
    await expectEvents(scene, 'network_violation', (events) =>
      expect(events).toContainEqual(
        expect.objectContaining({
          body: expect.objectContaining({ direction: 'in', port: 8080, config: 'nobody' }) as unknown,
          violation: expect.objectContaining({ rule: '/network/nobody/ingress', action: 'blocked' }) as unknown,
        }),
      ),
    );
    const { box, address } = await serving('watched', '8080');
    await using _ = box;
    expect(await fromHost(address)).toMatch(/^for /);
  });

  verifies(
    ['NET-30', 'NET-11'],
    'by IPv6 opens at once on a new network, and lets nobody past a narrow `from`',
    async () => {
      // While the gateway of a new network tries its address out, the engine's proxy connects from another one of the host.
      for (const [turn, config] of ['both', 'narrow'].entries()) {
        await inNewNetwork(turn, async (network) => {
          const { box, port } = await serving(config, '[::]::8080', ['--network', network]);
          await using _ = box;
          const got = { host: await fromHost(`[${scene.internet.at.host.v6}]:${port}`), peer: await fromPeer6(port) };
          const open = config === 'both' ? (expect.stringMatching(/^for /) as string) : '';
          expect([config, got]).toEqual([config, { host: open, peer: open }]);
        });
      }
    },
  );

  verifies(
    ['NET-22', 'NET-30'],
    'on 127.0.0.1 is closed to other containers unless their network is named',
    async () => {
      const { box } = await serving('everybody', '8080');
      await using _ = box;
      expect(await fromContainer(`${await addressOf(box.name)}:8080`)).toBe('');
      const named = await serving('neighbours', '8080');
      await using __ = named.box;
      expect(await fromContainer(`${await addressOf(named.box.name)}:8080`)).toMatch(/^for /);
    },
  );

  verifies(
    ['NET-30'],
    'that could not be told apart is refused by name, one that nobody reaches is told of',
    async () => {
      const refused = await scene.run('host', ['true'], ['-p', '0.0.0.0::8080']);
      expect(refused).toMatchObject({ exitCode: 125 });
      expect(refused.stderr).toContain('INGRESS_AMBIGUOUS');
      expect(refused.stderr).toContain('/network/host/ingress/0/from/0');
      const six = await scene.run('six', ['true'], ['-p', '8080']);
      expect(six).toMatchObject({ exitCode: 125 });
      expect(six.stderr).toContain('/network/six/ingress/0/from/0');
      const open = await scene.run('open', ['sleep', '1'], ['-p', '8080']);
      expect(open.stderr).toMatch(/^port 8080\/tcp is reachable at 127\.0\.0\.1:\d+$/m);
      const told = await scene.run('nobody', ['true'], ['-p', '8080']);
      expect(told).toMatchObject({ exitCode: 0 });
      expect(told.stderr).toContain('warning: port 8080/tcp is published on 127.0.0.1, but no rule');
    },
  );
});
