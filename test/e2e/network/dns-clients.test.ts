import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { NameRules } from '../../../src/net/dns-port.ts';
import { nameResolver } from '../../../src/net/dns/resolver.ts';
import { clients } from '../../images/index.ts';
import { docker } from '../helpers/docker.ts';
import { CLIENTS } from './helpers/clients.ts';
import { front } from './helpers/front.ts';
import { Internet } from './helpers/internet.ts';

const ALLOWED = new Set(['allowed.example', 'many.example', 'alias.example', 'private.example']);
const rules: NameRules = {
  mode: 'enforce',
  anyName: false,
  rulesFor: (name) => (ALLOWED.has(name) || name.endsWith('.allowed.example') ? [1] : []),
  closed: (address) => (address.startsWith('10.') ? 'private' : undefined),
};

let internet: Internet;
let resolver: Awaited<ReturnType<typeof front>>;
let container: string;
beforeAll(async () => {
  const image = await clients();
  internet = await Internet.start();
  const { host, resolver: server } = internet.at;
  const policy = nameResolver({ clock: { monotonic: () => performance.now() } });
  resolver = await front(policy, host.v4, { sandboxId: 's', rules, servers: [server.v4] });
  const flags = ['--dns', host.v4, '--dns-search', 'corp.example', '-v', `${internet.certificates.trust}:/ca:ro`];
  const started = await docker('run', '-d', '--rm', ...flags, image, 'sleep', '300');
  if (started.exitCode !== 0) throw new Error(started.stderr);
  container = started.stdout;
});
afterAll(async () => {
  await docker('rm', '-f', container);
  await resolver[Symbol.asyncDispose]();
  await internet[Symbol.asyncDispose]();
});

async function within(...command: readonly string[]) {
  return docker('exec', container, ...command);
}

/** Names and types of the questions that `work` made a client ask, in order. */
async function questions(work: () => Promise<unknown>): Promise<readonly string[]> {
  const from = resolver.answers.length;
  await work();
  return resolver.answers.slice(from).map(({ name, type }) => `${name} ${type}`);
}

describe('the policy resolver, asked by real clients', () => {
  test.each(Object.entries(CLIENTS))(
    '%s reaches a name that is allowed, and takes no for an answer',
    async (_, get) => {
      const reached = await within(...get('https://x.allowed.example/'));
      expect(reached).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^hello from /) as unknown });
      const asked = await questions(async () => {
        expect((await within(...get('http://x.denied.example/'))).exitCode).not.toBe(0);
      });
      // Nobody asks again: one A and one AAAA, with and without the search domain.
      expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
      expect(asked.length).toBeLessThanOrEqual(4);
    },
  );

  test("musl's resolver too", async () => {
    expect((await within('musl-resolve', 'allowed.example')).stdout.split('\n')).toContain(internet.at.allowed.v4);
    const asked = await questions(async () => {
      expect(await within('musl-resolve', 'denied.example')).toMatchObject({ exitCode: 1 });
    });
    expect(asked.toSorted()).toEqual(['denied.example A', 'denied.example AAAA']);
  });

  test('dig understands every answer, with and without EDNS, DNSSEC, 0x20 and cookies', async () => {
    const { v4 } = internet.at.allowed;
    for (const how of [
      '+noedns',
      '+edns=0',
      '+dnssec',
      '+cookie',
      '+nsid',
      '+padding=128',
      '+tcp',
      '+subnet=10.0.0.0/8',
    ]) {
      const { stdout } = await within('dig', '+tries=1', how, 'aLLoWeD.example', 'A');
      expect(stdout).toMatch(/status: NOERROR/);
      expect(stdout).toMatch(new RegExp(`^aLLoWeD\\.example\\.\\s+\\d+\\s+IN\\s+A\\s+${v4}$`, 'm'));
      expect(stdout).not.toMatch(/WARNING|malformed|mismatch/i);
    }
  });

  test('a denied name says why to who reads it, and never leaves the host', async () => {
    const { stdout } = await within('dig', '+tries=1', 'secret.denied.example', 'TXT');
    expect(stdout).toMatch(/status: NXDOMAIN/);
    expect(stdout).toMatch(/EDE: 18 \(Prohibited\): \(No egress rule names "secret\.denied\.example"\.\)/);
    const asked = (await internet.asked()).map(({ name }) => name);
    expect(asked.filter((name) => name.includes('denied'))).toEqual([]);
    expect(asked).toContain('allowed.example');
  });

  test('what is too large for UDP comes by TCP', async () => {
    const zone = Array.from({ length: 100 }, (_, index) => `198.51.100.${index}`);
    await internet.setNames(zone.map((data) => ({ name: 'many.example', type: 'A', data, ttl: 60 })));
    const { stdout } = await within('dig', '+tries=1', '+noedns', 'many.example');
    expect(stdout).toMatch(/Truncated, retrying in TCP mode/);
    expect(stdout.match(/IN\s+A\s+198/g)).toHaveLength(100);
    expect(
      (await internet.asked()).filter(({ name, transport }) => name === 'many.example' && transport === 'tcp'),
    ).toHaveLength(2);
  });

  test('packets that are none are answered FORMERR or not at all, and the next one is answered as ever', async () => {
    const script = `
import os, random, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.01)
random.seed(7); codes = set()
good = bytes.fromhex('00070100000100000000000007616c6c6f776564076578616d706c650000010001')
for n in range(200):
    packet = bytearray(good if n % 2 else random.randbytes(random.randrange(600)))
    for _ in range(3):
        if packet: packet[random.randrange(len(packet))] = random.randrange(256)
    s.sendto(bytes(packet), ('${internet.at.host.v4}', 53))
    try: codes.add(s.recv(4096)[3] & 15)
    except TimeoutError: pass
print(sorted(codes))
`;
    const { stdout, stderr } = await within('python3', '-c', script);
    expect(stderr).toBe('');
    expect(stdout).toContain('1');
    expect((await within('dig', '+short', '+tries=1', 'private.example')).exitCode).toBe(0);
  });
});
