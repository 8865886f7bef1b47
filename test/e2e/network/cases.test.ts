import { once } from 'node:events';
import { createServer } from 'node:net';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { get } from './helpers/clients.ts';
import { type Sandbox, Scene } from './helpers/scene.ts';

let scene: Scene;
let box: Sandbox;
beforeAll(async () => {
  scene = await Scene.start(({ at: { allowed } }) => ({
    names: {
      remediate: true,
      egress: [
        { to: ['allowed.example'], ports: [80] },
        { to: [allowed.v4], ports: [7000] },
      ],
    },
    datagrams: { remediate: true, egress: [{ to: [allowed.v4], ports: [7001], protocol: 'udp' }] },
  }));
  box = await scene.sandbox('names');
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

/** An IPv4 address as one number, as some programs take it. */
function asNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

describe('cases of the network', () => {
  verifies(['NET-05'], 'a host is judged as what it is, however it is written', async () => {
    const { allowed, denied } = scene.internet.at;
    const wanted: Readonly<Record<string, number>> = {
      'http://allowed.example/': 0,
      'http://ALLOWED.Example./': 0,
      'http://denied.example@allowed.example/': 0,
      'http://allowed%2Eexample/': 0,
      [`http://${asNumber(allowed.v4)}/`]: 0,
      [`http://[::ffff:${allowed.v4}]/`]: 0,
      // 6: no such name. 7: refused.
      'http://allowed.example@denied.example/': 6,
      'http://denied%2Eexample/': 6,
      'http://allowed.example.denied.example/': 6,
      [`http://${asNumber(denied.v4)}/`]: 7,
      [`http://0x${asNumber(denied.v4).toString(16)}/`]: 7,
      [`http://[::ffff:${denied.v4}]/`]: 7,
    };
    const got: Record<string, number> = {};
    for (const url of Object.keys(wanted)) got[url] = (await box.run(...get(url))).exitCode;
    expect(got).toEqual(wanted);
  });

  verifies(['NET-13', 'NET-09'], 'what is open by TCP is not by UDP, nor the other way round', async () => {
    const { allowed } = scene.internet.at;
    const echo = ['sh', '-c', `echo "$0" | netcat -u -w 2 ${allowed.v4} 7001`];
    await using other = await scene.sandbox('datagrams');
    expect((await other.run(...echo, 'by-udp')).stdout).toBe('by-udp');
    expect((await box.run(...echo, 'not-by-udp')).stdout).toBe('');
    const first = ['sh', '-c', `netcat -d -w 15 ${allowed.v4} 7000 2>/dev/null | head -n 1`];
    expect((await box.run(...first)).stdout).toBe('tick');
    expect((await other.run(...first)).stdout).toBe('');
    const visits = (await scene.internet.visits()).map(({ what }) => what);
    expect(visits).toContain('by-udp\n');
    expect(visits).not.toContain('not-by-udp\n');
  });

  verifies(['NET-31'], 'a socket that another process got, or that is shared, is under the same rules', async () => {
    const { allowed, denied } = scene.internet.at;
    const script = `
import os, socket, sys
def reached(sock, to):
    try:
        sock.settimeout(10); sock.connect((to, 7000)); return 'open'
    except OSError as e:
        return type(e).__name__
def passed(to):
    here, there = socket.socketpair()
    made = socket.socket(); made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if os.fork() == 0:
        _, fds, _, _ = socket.recv_fds(there, 1, 1)
        there.send(reached(socket.socket(fileno=fds[0]), to).encode()); os._exit(0)
    socket.send_fds(here, [b'x'], [made.fileno()]); made.close()
    return here.recv(99).decode()
print(*(passed(to) for to in sys.argv[1:]))
`;
    const { stdout } = await box.run('python3', '-c', script, allowed.v4, denied.v4);
    expect(stdout).toBe('open ConnectionRefusedError');
  });

  verifies(
    ['NET-17', 'NET-19'],
    "the host's sockets are not reached: abstract ones, and the engine's by a mount",
    async () => {
      const name = `ucp-abstract-${process.pid}`;
      // Whoever connects is gone at once.
      const server = createServer((socket) => socket.on('error', () => {}).end());
      server.listen(`\0${name}`);
      await once(server, 'listening');
      const script = `
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try:
        sock = socket.socket(socket.AF_UNIX, kind); sock.connect('\\0${name}'); print('open')
    except OSError as e:
        print(type(e).__name__)
`;
      try {
        // The control: on the host it is there, and no socket of the other kind.
        const host = await execa('python3', ['-c', script]);
        expect(host.stdout.split('\n')[0]).toBe('open');
        expect((await box.run('python3', '-c', script)).stdout).toBe('ConnectionRefusedError\nConnectionRefusedError');
      } finally {
        server.close();
      }
      for (const mount of ['/var/run/docker.sock:/d.sock', '/run/docker.sock:/d.sock:ro', '/var/run:/r:ro']) {
        const ran = await scene.run('names', ['true'], ['-v', mount]);
        expect([mount, ran.exitCode, ran.stderr]).toEqual([mount, 125, expect.stringMatching(/MOUNT|mount/)]);
      }
    },
  );

  verifies(['NET-26'], 'no other network stands beside the rules: the host’s is refused', async () => {
    for (const network of ['host', `container:${box.name}`]) {
      const ran = await scene.run('names', ['true'], ['--network', network]);
      expect([network, ran.exitCode]).toEqual([network, 125]);
    }
    expect((await scene.run('names', ['true'], ['--network', 'bridge'])).exitCode).toBe(0);
  });
});
