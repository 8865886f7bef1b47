import { afterAll, beforeAll, describe, expect } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { CLIENTS, get } from './helpers/clients.ts';
import type { Internet } from './helpers/internet.ts';
import { expectEvents } from './helpers/expect-events.ts';
import { type Sandbox, Scene } from './helpers/scene.ts';

let scene: Scene;
let internet: Internet;
let box: Sandbox;
beforeAll(async () => {
  scene = await Scene.start(({ at: { allowed, host } }) => ({
    names: {
      remediate: true,
      egress: [
        {
          to: ['allowed.example', '*.allowed.example', 'v4.example', 'v6.example', 'private.example'],
          ports: [80, 443],
        },
      ],
    },
    addresses: { remediate: true, egress: [{ to: [allowed.v4, allowed.v6], ports: [80] }] },
    wide: { remediate: true, egress: [{ to: ['0.0.0.0/0', '::/0'], ports: ['1-65535'] }] },
    watched: { remediate: false, egress: [{ to: ['allowed.example'], ports: [80] }] },
    host: { remediate: true, egress: [{ to: [host.v4], ports: ['1-65535'] }] },
    empty: { remediate: true, egress: [] },
    missing: { remediate: true },
  }));
  ({ internet } = scene);
  box = await scene.sandbox('names', ['--network', await internet.network()]);
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

describe('egress by name', () => {
  verifies(
    ['NET-10', 'NET-11', 'NET-12'],
    'every client gets what is named, and is told at once what is not',
    async () => {
      const { denied } = internet.at;
      const allowed = ['v4', 'v6', 'x.allowed'].flatMap((name) => [
        `http://${name}.example/`,
        `https://${name}.example/`,
      ]);
      const closed = [
        'http://denied.example/',
        'https://x.denied.example/',
        `http://${denied.v4}/`,
        `http://[${denied.v6}]/`,
      ];
      for (const [client, command] of Object.entries(CLIENTS)) {
        for (const url of allowed) {
          const got = await box.run(...command(url));
          expect([client, url, got.stdout.split(' ')[0], got.stderr]).toEqual([client, url, 'hello', '']);
        }
        for (const url of closed) {
          const began = Date.now();
          const refused = await box.run(...command(url));
          expect([client, url, refused.stdout, refused.exitCode === 0]).toEqual([client, url, '', false]);
          // Refused, not waited for: every client gives up after 20 s by itself.
          expect(Date.now() - began).toBeLessThan(15_000);
        }
      }
      const { allowed: site } = internet.at;
      for (const [to, port] of [
        [site.v4, 80],
        [site.v4, 22],
        [site.v6, 443],
        [denied.v4, 80],
        [denied.v6, 443],
      ] as const) {
        const open = to === site.v4 || to === site.v6 ? port !== 22 : false;
        const { exitCode } = await box.run('netcat', '-z', '-w', '15', to, String(port));
        expect([to, port, exitCode === 0]).toEqual([to, port, open]);
      }
      const asked = await internet.asked();
      expect(asked.map(({ name }) => name)).toContain('x.allowed.example');
      expect(asked.map(({ name }) => name)).not.toContain('denied.example');
      await expectEvents(scene, 'network_violation', (events) =>
        expect(events).toContainEqual(
          expect.objectContaining({
            body: expect.objectContaining({ name: 'denied.example', config: 'names', protocol: 'dns' }) as unknown,
            violation: expect.objectContaining({ rule: '/network/names/egress', action: 'blocked' }) as unknown,
          }),
        ),
      );
    },
  );

  verifies(['NET-07', 'NET-08', 'NET-11'], 'holds for the port, the family, and what a wildcard is below', async () => {
    const { allowed, denied } = internet.at;
    const codes: Record<string, number> = {};
    for (const url of [
      'http://v6.example/',
      'http://allowed.example:7000/',
      'http://notallowed.example/',
      `http://${allowed.v4}/`,
      `http://${denied.v4}/`,
      `http://[${denied.v6}]/`,
    ]) {
      codes[url] = (await box.run(...get(url))).exitCode;
    }
    // 6: no such name, 7: refused. The address of a name that was asked is open for its time, on its ports.
    expect(codes).toEqual({
      'http://v6.example/': 0,
      'http://allowed.example:7000/': 7,
      'http://notallowed.example/': 6,
      [`http://${allowed.v4}/`]: 0,
      [`http://${denied.v4}/`]: 7,
      [`http://[${denied.v6}]/`]: 7,
    });
    expect((await internet.visits()).filter(({ address }) => address === denied.v4 || address === denied.v6)).toEqual(
      [],
    );
  });

  verifies(
    ['NET-14', 'NET-29'],
    'is not fooled by an answer in a closed range, or by files of the sandbox',
    async () => {
      const { denied } = internet.at;
      expect((await box.run(...get('http://private.example/'))).exitCode).toBe(6);
      const script = `echo "${denied.v4} allowed.example" >>/etc/hosts; echo "nameserver ${internet.at.otherResolver.v4}" >/etc/resolv.conf; curl -s --max-time 10 http://allowed.example/; curl -s --max-time 10 http://denied.example/`;
      const ran = await scene.run('names', ['sh', '-c', script], ['--network', await internet.network()]);
      expect(ran.stdout).toBe('');
      const got = await scene.run(
        'names',
        ['curl', '-s', 'http://allowed.example/'],
        ['--network', await internet.network()],
      );
      expect(got.stdout).toMatch(/^hello from /);
    },
  );

  verifies(['NET-12', 'NET-13'], 'other resolvers are closed, by every transport', async () => {
    const { otherResolver } = internet.at;
    const before = (await internet.asked()).length;
    for (const how of [[], ['+tcp'], ['+tls']]) {
      const dig = ['dig', '+short', '+tries=1', '+time=3', `@${otherResolver.v4}`, 'secret.denied.example', ...how];
      expect((await box.run(...dig)).stdout).not.toMatch(/^\d/);
    }
    expect((await internet.asked()).slice(before).map(({ server }) => server)).not.toContain(otherResolver.v4);
  });
});

describe('egress by address', () => {
  verifies(
    ['NET-09', 'NET-01'],
    'lets out what is listed and nothing else; empty and missing lists are nothing',
    async () => {
      const { allowed, denied } = internet.at;
      const urls = [`http://${allowed.v4}/`, `http://${denied.v4}/`, 'http://allowed.example/'];
      const script = urls.map((url) => `curl -s -o /dev/null --max-time 10 ${url}; echo $?`).join(';');
      const codes = async (config: string): Promise<string> =>
        (await scene.run(config, ['sh', '-c', script])).stdout.trim().replaceAll('\n', ' ');
      expect(await codes('addresses')).toBe('0 7 6');
      expect(await codes('empty')).toBe('7 7 6');
      expect(await codes('missing')).toBe('7 7 6');
      expect(await codes('wide')).toBe('0 0 0');
    },
  );

  verifies(
    ['NET-15', 'NET-20', 'NET-21', 'NET-22'],
    'closed ranges, the host and other sandboxes stay closed unless named',
    async () => {
      const { allowed, host: gateway } = internet.at;
      const { stdout: other } = await box.run(
        'sh',
        '-c',
        'ip -4 -o addr show | awk \'$2!="lo"{split($4,a,"/");print a[1]}\'',
      );
      const closed = [
        gateway.v4,
        '169.254.169.254',
        '100.64.0.1',
        '10.0.0.1',
        '192.168.0.1',
        '172.17.0.1',
        other.trim(),
      ];
      const script = [...closed, allowed.v4].map((to) => `netcat -z -w 2 ${to} 80 >/dev/null 2>&1; echo $?`).join(';');
      const began = Date.now();
      const ran = await scene.run('wide', ['sh', '-c', script], ['--network', await internet.network()]);
      expect(ran.stdout.trim().split('\n')).toEqual([...closed.map(() => '1'), '0']);
      expect(Date.now() - began).toBeLessThan(15_000);
      await expectEvents(scene, 'network_violation', (events) => {
        const reasons = events.map(({ body }) => `${String(body['address'])} ${String(body['reason'])}`);
        expect(reasons).toContain('169.254.169.254 closed');
        expect(reasons).toContain(`${gateway.v4} host`);
      });
    },
  );

  verifies(
    ['NET-18'],
    'raw, packet, vsock and netfilter sockets are not to be had; nor is ping a way out',
    async () => {
      const script = `
import socket, errno
def tried(*args):
    try:
        socket.socket(*args)
        return 'open'
    except OSError as e:
        return errno.errorcode[e.errno]
print(tried(socket.AF_INET, socket.SOCK_RAW, 1), tried(socket.AF_PACKET, socket.SOCK_RAW, 3), tried(40, socket.SOCK_STREAM), tried(socket.AF_NETLINK, socket.SOCK_RAW, 12), tried(socket.AF_INET, socket.SOCK_STREAM))
`;
      const ran = await scene.run('wide', ['python3', '-c', script]);
      expect(
        ran.stdout
          .trim()
          .split(' ')
          .map((word) => word === 'open'),
      ).toEqual([false, false, false, false, true]);
      const ping = await scene.run('wide', ['ping', '-c', '1', '-W', '1', internet.at.allowed.v4]);
      expect(ping.exitCode).not.toBe(0);
    },
  );
});

describe('a configuration that only observes', () => {
  verifies(
    ['NET-01'],
    'lets everything through and tells of what it would refuse, and of what it would not',
    async () => {
      const { allowed, denied } = internet.at;
      const script = `curl -s --max-time 10 http://denied.example/ http://allowed.example/ http://${denied.v4}:7000/ -m 2`;
      const ran = await scene.run('watched', ['sh', '-c', script]);
      expect(ran.stdout).toContain(`hello from ${denied.v4}`);
      expect(ran.stdout).toContain(`hello from ${allowed.v4}`);
      const config = 'watched';
      await expectEvents(scene, 'network_violation', (events) =>
        expect(events).toContainEqual(
          expect.objectContaining({
            body: expect.objectContaining({ config, address: denied.v4, port: 80 }) as unknown,
            violation: expect.objectContaining({ action: 'allowed', rule: '/network/watched/egress' }) as unknown,
          }),
        ),
      );
      await expectEvents(scene, 'network_connect', (events) =>
        expect(events).toContainEqual(
          expect.objectContaining({
            body: expect.objectContaining({ config, name: 'allowed.example', port: 80 }) as unknown,
          }),
        ),
      );
    },
  );
});
