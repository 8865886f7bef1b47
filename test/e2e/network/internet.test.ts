import { once } from 'node:events';
import { createServer } from 'node:http';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { clients } from '../../images/index.ts';
import { docker } from '../helpers/docker.ts';
import { CLIENTS } from './helpers/clients.ts';
import { Internet } from './helpers/internet.ts';

let internet: Internet;
let container: string;
beforeAll(async () => {
  const image = await clients();
  internet = await Internet.start();
  const flags = ['--dns', internet.at.resolver.v4, '-v', `${internet.certificates.trust}:/ca:ro`];
  const started = await docker(
    'run',
    '-d',
    '--rm',
    '--network',
    await internet.network(),
    ...flags,
    image,
    'sleep',
    '300',
  );
  if (started.exitCode !== 0) throw new Error(started.stderr);
  container = started.stdout;
});
afterAll(async () => {
  await docker('rm', '-f', container);
  await internet[Symbol.asyncDispose]();
});

/** Runs a command in a plain container, no policy: what the tests under policy are compared to. */
async function within(...command: readonly string[]) {
  return docker('exec', container, ...command);
}

describe('the test internet, from a container without policy', () => {
  test.each(Object.entries(CLIENTS))('%s gets every site by name', async (_, get) => {
    for (const url of ['http://allowed.example/', 'http://x.denied.example/', 'https://allowed.example/']) {
      const got = await within(...get(url));
      expect(got).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^hello from /) as unknown });
    }
  });

  test('by IPv6 too', async () => {
    const got = await within('curl', '-sS', `http://[${internet.at.denied.v6}]/`, 'http://v6.example/');
    expect(got.stdout).toBe(`hello from ${internet.at.denied.v6}\nhello from ${internet.at.allowed.v6}`);
  });

  test('names are answered by UDP, TCP, TLS and HTTPS, and what was asked is written down', async () => {
    const { allowed, denied, resolver, otherResolver } = internet.at;
    for (const how of [[], [`@${resolver.v4}`, '+tcp'], [`@${otherResolver.v4}`], [`@${otherResolver.v4}`, '+tls']]) {
      const got = await within('dig', '+short', '+tries=1', '+time=5', 'alias.example', 'A', ...how);
      expect(got.stdout).toBe(`cdn.denied.example.\n${denied.v4}`);
    }
    const doh = ['--doh-url', 'https://allowed.example/dns-query'];
    expect((await within('curl', '-sS', ...doh, 'http://secret.allowed.example/')).stdout).toMatch(/^hello from /);
    expect((await within('musl-resolve', 'v4.example')).stdout).toBe(allowed.v4);
    const asked = await internet.asked();
    const of = (name: string) =>
      asked.filter((one) => one.name === name).map((one) => `${one.transport} ${one.server}`);
    expect(of('alias.example')).toEqual([
      `udp ${resolver.v4}`,
      `tcp ${resolver.v4}`,
      `udp ${otherResolver.v4}`,
      `tls ${otherResolver.v4}`,
    ]);
    expect(of('secret.allowed.example')[0]).toMatch(/^https /);
  });

  test('streams tick, datagrams come back, and both are written down', async () => {
    const { allowed, denied } = internet.at;
    expect((await within('sh', '-c', `netcat -d ${allowed.v4} 7000 | head -n 2`)).stdout).toBe('tick\ntick');
    expect((await within('sh', '-c', `echo there | netcat -u -w 1 ${denied.v4} 7001`)).stdout).toBe('there');
    const visits = await internet.visits();
    expect(visits).toContainEqual(expect.objectContaining({ address: allowed.v4, port: 7000, what: 'opened' }));
    expect(visits).toContainEqual(expect.objectContaining({ address: denied.v4, port: 7001, what: 'there\n' }));
  });

  test('a computer next to the host connects to it', async () => {
    const { host, peer } = internet.at;
    const server = createServer((request, response) => response.end(request.socket.remoteAddress)).listen(0, host.v4);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { stdout } = await internet.run('curl', '-sS', '--interface', peer.v4, `http://${host.v4}:${port}/`);
    server.close();
    expect(stdout).toBe(peer.v4);
  });

  test('names can be changed, and the resolver can be silent', async () => {
    await internet.setNames([{ name: 'new.example', type: 'A', data: '198.51.100.1', ttl: 1 }]);
    const dig = ['dig', '+tries=1', '+time=1', `@${internet.at.resolver.v4}`, 'new.example'];
    expect((await within(...dig, '+short')).stdout).toBe('198.51.100.1');
    await internet.setSilent(true);
    expect((await within(...dig)).stdout).toMatch(/no servers could be reached|timed out/);
  });
});

test('two internets stand side by side, and go without a trace', async () => {
  let name = '';
  {
    await using other = await Internet.start();
    expect(other.at.allowed.v4).not.toBe(internet.at.allowed.v4);
    await other.network();
    const { stdout } = await execa('curl', ['-sS', `http://${other.at.allowed.v4}/`]);
    expect(stdout).toBe(`hello from ${other.at.allowed.v4}`);
    ({ name } = other);
  }
  const left = await Promise.all([execa('ip', ['netns']), execa('ip', ['link']), execa('docker', ['network', 'ls'])]);
  expect(left.map(({ stdout }) => stdout.includes(name))).toEqual([false, false, false]);
});
