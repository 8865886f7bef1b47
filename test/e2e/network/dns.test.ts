import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { docker, until } from '../helpers/docker.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Internet } from './helpers/internet.ts';
import { expectEvents } from './helpers/expect-events.ts';
import { Scene } from './helpers/scene.ts';

const CLOSED = ['private.example', 'metadata.example', 'loopback.example', 'gateway.example'];

let scene: Scene;
let internet: Internet;
let box: Awaited<ReturnType<Scene['sandbox']>>;
beforeAll(async () => {
  scene = await Scene.start(() => ({
    web: {
      remediate: true,
      egress: [{ to: ['allowed.example', '*.allowed.example', 'alias.example', ...CLOSED], ports: [80, 443, 7000] }],
    },
  }));
  ({ internet } = scene);
  box = await scene.sandbox('web', ['--network', await internet.network()]);
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

/** What dig in the sandbox says of a name: the status and the answers. */
async function dig(name: string, ...how: readonly string[]): Promise<string> {
  const { stdout } = await box.run('dig', '+tries=1', '+time=10', '+noall', '+comments', '+answer', name, ...how);
  const status = /status: (\w+)/.exec(stdout)?.[1] ?? 'none';
  const answers = stdout.split('\n').filter((line) => /\sIN\s/.test(line));
  return [status, ...answers.map((line) => line.split(/\s+/).at(-1))].join(' ');
}

describe('names of a sandbox', () => {
  verifies(['NET-12'], 'leave the host only when a rule names them, and only to find addresses', async () => {
    const { allowed } = internet.at;
    const server = `@${internet.at.resolver.v4}`;
    // The control: the internet's own resolver says all this to whoever asks it.
    expect((await execa('dig', ['+short', server, 'allowed.example', 'TXT'])).stdout).toBe('"a text"');
    const from = (await internet.asked()).length;
    const said = {
      'denied.example A': await dig('denied.example', 'A'),
      'denied.example TXT': await dig('secret.denied.example', 'TXT'),
      'denied.example by TCP': await dig('tcp.denied.example', 'A', '+tcp'),
      'allowed.example TXT': await dig('allowed.example', 'TXT'),
      'allowed.example ANY': await dig('allowed.example', 'ANY', '+notcp'),
      'a reverse name': await dig('-x', allowed.v4),
      'a zone': await dig('allowed.example', 'NULL'),
      'data below a wildcard': await dig(`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.allowed.example`, 'A'),
      'allowed.example A': await dig('allowed.example', 'A'),
    };
    expect(said).toEqual({
      'denied.example A': 'NXDOMAIN',
      'denied.example TXT': 'NXDOMAIN',
      'denied.example by TCP': 'NXDOMAIN',
      'allowed.example TXT': 'NOERROR',
      'allowed.example ANY': 'NOERROR',
      'a reverse name': 'NXDOMAIN',
      'a zone': 'NOERROR',
      'data below a wildcard': 'NXDOMAIN',
      'allowed.example A': `NOERROR ${allowed.v4}`,
    });
    const asked = (await internet.asked()).slice(from).map(({ name, type }) => `${name} ${type}`);
    expect(asked).toEqual(['allowed.example A']);
  });

  verifies(['NET-13'], 'are asked of no other resolver: not by DNS over HTTPS either', async () => {
    const { otherResolver, denied } = internet.at;
    const from = (await internet.asked()).length;
    const over = ['curl', '-sS', '-k', '--doh-insecure', '--max-time', '10'];
    for (const place of [otherResolver.v4, denied.v4, `[${otherResolver.v6}]`]) {
      const doh = ['--doh-url', `https://${place}/dns-query`];
      expect((await box.run(...over, ...doh, 'http://secret.denied.example/')).exitCode).not.toBe(0);
    }
    expect((await internet.asked()).slice(from)).toEqual([]);
    // The control: from the host the same resolver is reached in the same way.
    const doh = ['--doh-url', `https://${otherResolver.v4}/dns-query`];
    expect((await execa('curl', [...over.slice(1), ...doh, 'http://secret.denied.example/'])).stdout).toMatch(/^hello/);
  });

  verifies(['NET-14', 'NET-15'], 'have no addresses that are closed, and the refusal is reported', async () => {
    for (const name of CLOSED) expect([name, await dig(name, 'A')]).toEqual([name, 'NOERROR']);
    await expectEvents(scene, 'network_violation', (events) =>
      expect(JSON.stringify(events)).toMatch(/metadata\.example/),
    );
    // The control: the resolver has them all.
    const { stdout } = await internet.run('dig', '+short', `@${internet.at.resolver.v4}`, 'metadata.example');
    expect(stdout).toBe('169.254.169.254');
  });

  test('stand for what their aliases lead to; the alias itself is not named by that', async () => {
    const { denied } = internet.at;
    expect(await dig('alias.example', 'A')).toBe(`NOERROR cdn.denied.example. ${denied.v4}`);
    expect((await box.run('curl', '-sS', 'http://alias.example/')).stdout).toBe(`hello from ${denied.v4}`);
    expect(await dig('cdn.denied.example', 'A')).toBe('NXDOMAIN');
  });

  test('are answered SERVFAIL while no resolver answers, and again as soon as one does', async () => {
    await internet.setSilent(true);
    let silent: string;
    try {
      silent = await dig('silent.allowed.example', 'A');
    } finally {
      await internet.setSilent(false);
    }
    expect(silent).toBe('SERVFAIL');
    expect(await dig('silent.allowed.example', 'A')).toBe(`NOERROR ${internet.at.allowed.v4}`);
  });
});

/** The rules of a sandbox, as root of the host has them. */
async function rulesOf(sandbox: string): Promise<(...args: readonly string[]) => Promise<string>> {
  const { stdout: pid } = await docker('inspect', '-f', '{{.State.Pid}}', sandbox);
  return async (...args) => (await execa('nsenter', ['-t', pid, '-n', '/usr/sbin/nft', ...args])).stdout;
}

/** The maps that hold what was learnt in the sandbox. */
async function learntMaps(nft: Awaited<ReturnType<typeof rulesOf>>): Promise<readonly string[]> {
  const listed = JSON.parse(await nft('-j', 'list', 'maps')) as { nftables: { map?: { name: string } }[] };
  const learnt = listed.nftables.flatMap(({ map }) => (map?.name.startsWith('learnt_') === true ? [map.name] : []));
  expect(learnt).not.toEqual([]);
  return learnt;
}

/** Lets the time of everything end that was learnt in the sandbox. */
async function expire(sandbox: string): Promise<void> {
  const nft = await rulesOf(sandbox);
  for (const name of await learntMaps(nft)) await nft('flush', 'map', 'inet', 'ucp', name);
}

describe('an address whose time has ended', () => {
  verifies(
    ['NET-14'],
    'is closed to new connections, open to those that are there, and opened by its name',
    async () => {
      await using other = await scene.sandbox('web', ['--network', await internet.network()]);
      const { allowed } = internet.at;
      const get = ['curl', '-sS', '--max-time', '10', `http://${allowed.v4}/`];
      await other.run('sh', '-c', 'netcat -d allowed.example 7000 >/tmp/ticks 2>&1 & sleep 0.1');
      const ticks = async (): Promise<number> => Number((await other.run('sh', '-c', 'wc -l </tmp/ticks')).stdout);
      await until('the stream ticks', async () => (await ticks()) > 0);
      expect((await other.run(...get)).exitCode).toBe(0);
      await expire(other.name);
      expect((await other.run(...get)).exitCode).toBe(7);
      const sofar = await ticks();
      await until('the stream ticks on', async () => (await ticks()) > sofar + 5);
      expect((await other.run('curl', '-sS', 'http://x.allowed.example/')).exitCode).toBe(0);
      expect((await other.run(...get)).exitCode).toBe(0);
    },
  );
});

describe('an address that was learnt under a rule', () => {
  verifies(['NET-14'], 'opens nothing where the rule is gone', async () => {
    await using other = await scene.sandbox('web', ['--network', await internet.network()]);
    const { denied } = internet.at;
    const get = ['curl', '-sS', '--max-time', '10', `http://${denied.v4}/`];
    expect((await other.run('curl', '-sS', 'http://x.allowed.example/')).exitCode).toBe(0);
    const nft = await rulesOf(other.name);
    const maps = (await learntMaps(nft)).filter((name) => name.endsWith('_v4'));
    const learn = async (mark: string): Promise<void> => {
      for (const map of maps) {
        await nft(`add element inet ucp ${map} { ${denied.v4} timeout 60s : ${mark} }`);
      }
    };
    await learn('0x7fffffff');
    expect((await other.run(...get)).exitCode).toBe(7);
    // The control: the same element under a rule that is there.
    const [live] = /0x[0-9a-f]{8}/.exec(await nft('list', 'set', 'inet', 'ucp', 'live')) ?? [];
    for (const map of maps) await nft(`delete element inet ucp ${map} { ${denied.v4} : 0x7fffffff }`);
    await learn(live ?? '');
    expect((await other.run(...get)).exitCode).toBe(0);
  });
});

describe('names of containers', () => {
  const peer = `ucp-dns-peer-${process.pid}`;
  let subnet: string;
  beforeAll(async () => {
    const network = await internet.network();
    const serve = ['sh', '-c', 'mkdir /www; echo "peer here" >/www/index.html; exec httpd -f -p 80 -h /www'];
    const started = await docker(
      'run',
      '-d',
      '--rm',
      '--name',
      peer,
      '--network',
      network,
      '--network-alias',
      'db',
      scene.image,
      ...serve,
    );
    if (started.exitCode !== 0) throw new Error(started.stderr);
    const found = await docker(
      'inspect',
      '-f',
      `{{(index .NetworkSettings.Networks "${network}").IPAddress}}/32`,
      peer,
    );
    subnet = found.stdout;
  });
  afterAll(async () => docker('rm', '-f', peer));

  verifies(['NET-22'], 'are the names that rules name, at addresses that rules name', async () => {
    expect(await dig('db', 'A')).toBe('NXDOMAIN');
    await scene.setNetwork({ web: { remediate: true, egress: [{ to: ['db', 'allowed.example'], ports: [80] }] } });
    expect(await dig('db', 'A')).toBe('NOERROR');
    const egress = [{ to: ['db', 'allowed.example', subnet], ports: [80] }];
    await scene.setNetwork({ web: { remediate: true, egress } });
    expect(await dig('db', 'A')).toBe(`NOERROR ${subnet.split('/')[0]}`);
    expect((await box.run('curl', '-sS', 'http://db/')).stdout).toBe('peer here');
    expect(await dig(peer, 'A')).toBe('NXDOMAIN');
    // What the engine's resolver does not know it asks of us again: that is answered, too.
    expect(await dig('allowed.example', 'A')).toBe(`NOERROR ${internet.at.allowed.v4}`);
    expect((await internet.asked()).map(({ name }) => name)).not.toContain('db');
  });

  verifies(['NET-13'], "the engine's resolver is not reached past ours", async () => {
    // 127.0.0.11 in /proc/net/udp.
    const port = `printf %d 0x$(awk '$2 ~ /^0B00007F/ { print substr($2, 10, 4); exit }' /proc/net/udp)`;
    const ask = ['sh', '-c', `dig +short +tries=1 +time=3 -p $(${port}) @127.0.0.11 db A`];
    expect((await docker('exec', peer, ...ask)).stdout).toBe(subnet.split('/')[0]);
    expect((await box.run(...ask)).stdout).not.toMatch(/^\d/);
  });
});
