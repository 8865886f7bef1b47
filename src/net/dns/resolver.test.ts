import { describe, expect, test } from 'vitest';

import type { NameAnswer, NameQuery } from '../dns-port.ts';
import type { Answer, Question } from './codec.ts';
import { hostServers } from './host-servers.ts';
import { nameResolver } from './resolver.ts';
import { a, aaaa, alias, asks, reads, rulesOf, zone } from './testing.ts';

const still = { monotonic: () => 0 };

function scene(records: readonly Answer[], more: Partial<NameQuery> = {}) {
  const upstream = zone(records);
  const resolver = nameResolver({ clock: still, upstream });
  const ask = (
    name: string,
    type: Question['type'] = 'A',
    now: Partial<NameQuery> & { edns?: number } = {},
  ): Promise<NameAnswer> =>
    resolver.answer({
      packet: asks(name, type, now),
      transport: 'udp',
      sandboxId: 's',
      rules: rulesOf({ 'api.example.com': [1, 2], '*.example.org': [3] }),
      servers: ['192.0.2.53'],
      ...more,
      ...now,
    });
  return { upstream, resolver, ask };
}

describe('what is named', () => {
  test('is asked upstream and answered; its address is learnt for the rules that name it', async () => {
    const { upstream, ask } = scene([a('api.example.com', '198.51.100.7', 300)]);
    const answer = await ask('API.example.com');
    expect(answer).toMatchObject({ name: 'api.example.com', type: 'A' });
    expect(answer.learnt).toEqual([{ address: '198.51.100.7', ttlSeconds: 720, leastSeconds: 360, rules: [1, 2] }]);
    expect(answer.refused).toBeUndefined();
    expect(reads(answer.packet)).toMatchObject({
      id: 7,
      rcode: 0,
      flag_ra: true,
      flag_rd: true,
      questions: [{ name: 'API.example.com' }],
      answers: [{ name: 'API.example.com', data: '198.51.100.7', ttl: 300 }],
    });
    expect(upstream.asked).toEqual(['api.example.com A']);
  });

  test('by a wildcard too, which is not the name that it stands below', async () => {
    const { upstream, ask } = scene([aaaa('a.example.org', '2001:db8::7'), a('example.org', '198.51.100.8')]);
    expect((await ask('a.example.org', 'AAAA')).learnt).toEqual([
      { address: '2001:db8::7', ttlSeconds: 720, leastSeconds: 360, rules: [3] },
    ]);
    expect(reads((await ask('example.org')).packet).rcode).toBe(3);
    expect(upstream.asked).toEqual(['a.example.org AAAA']);
  });

  test('lets in through aliases what they lead to, and nothing that stands beside them', async () => {
    const { ask } = scene([
      alias('api.example.com', 'edge.cdn.example', 20),
      alias('edge.cdn.example', 'pop.cdn.example', 500),
      a('pop.cdn.example', '203.0.113.1', 300),
      a('elsewhere.example', '203.0.113.66', 300),
    ]);
    const answer = await ask('api.example.com');
    expect(answer.learnt).toEqual([{ address: '203.0.113.1', ttlSeconds: 240, leastSeconds: 120, rules: [1, 2] }]);
    expect(reads(answer.packet).answers?.map(({ type }) => type)).toEqual(['CNAME', 'CNAME', 'A']);
  });

  test('has its TTL shown and kept within bounds', async () => {
    const { ask } = scene([a('a.example.org', '203.0.113.1', 0), a('b.example.org', '203.0.113.2', 900_000)]);
    const [low, high] = [await ask('a.example.org'), await ask('b.example.org')];
    expect([low, high].map(({ learnt }) => learnt[0]?.ttlSeconds)).toEqual([240, 3720]);
    expect([low, high].map(({ packet }) => reads(packet).answers?.[0])).toMatchObject([{ ttl: 0 }, { ttl: 1800 }]);
  });

  test('is not learnt when a service is asked for, which is judged by the host that it is a service of', async () => {
    const data = { port: 27_017, target: 'node.example.org', priority: 0, weight: 0 };
    const name = '_mongodb._tcp.api.example.com';
    const { ask } = scene([{ type: 'SRV', name, ttl: 60, class: 'IN', data }]);
    const answer = await ask(name, 'SRV');
    expect(reads(answer.packet).answers).toMatchObject([{ data: { target: 'node.example.org' } }]);
    expect(answer.learnt).toEqual([]);
    expect((await ask(name, 'A')).refused).toMatch(/No egress rule names/);
  });

  test('has no records of types that reach nothing', async () => {
    const { upstream, ask } = scene([a('api.example.com', '198.51.100.7')]);
    for (const type of ['TXT', 'NULL', 'MX', 'AXFR', 'UNKNOWN_65' as 'A'] as const) {
      const answer = await ask('api.example.com', type);
      expect([reads(answer.packet).rcode, reads(answer.packet).answers]).toEqual([0, []]);
      expect(answer.refused).toBeUndefined();
    }
    expect(upstream.asked).toEqual([]);
  });
});

describe('what is not named', () => {
  test.each([
    'example.com',
    'api.example.com.evil.example',
    'evil-api.example.com',
    'apixexample.com',
    'x.y.example.org.evil',
    '198.51.100.7',
    '7.100.51.198.in-addr.arpa',
    '.',
  ])('%s never leaves the host and does not exist', async (name) => {
    const { upstream, ask } = scene([a(name, '203.0.113.9')]);
    const answer = await ask(name, 'A', { edns: 1232 });
    expect(reads(answer.packet).rcode).toBe(3);
    expect(answer.learnt).toEqual([]);
    expect(answer.refused).toMatch(/^No egress rule names ".*"\.$/);
    expect(Buffer.from(answer.packet ?? []).includes('No egress rule names')).toBe(true);
    expect(upstream.asked).toEqual([]);
  });

  test('is asked, and said, where the config observes', async () => {
    const { ask } = scene([a('evil.example', '10.0.0.1')], { rules: rulesOf({}, { mode: 'observe' }) });
    const answer = await ask('evil.example');
    expect(reads(answer.packet).answers).toMatchObject([{ data: '10.0.0.1' }]);
    expect(answer).toMatchObject({ learnt: [], refused: 'No egress rule names "evil.example".' });
  });

  test('is asked where every public address is open', async () => {
    const { ask } = scene([a('any.example', '203.0.113.1')], { rules: rulesOf({}, { anyName: true }) });
    const answer = await ask('any.example');
    expect(reads(answer.packet).answers).toMatchObject([{ data: '203.0.113.1' }]);
    expect(answer.refused).toBeUndefined();
  });
});

describe('a name that stands for a closed address', () => {
  test('has no such address, and says so', async () => {
    const { ask } = scene([a('api.example.com', '10.1.2.3'), a('api.example.com', '198.51.100.7')]);
    const answer = await ask('api.example.com');
    expect(reads(answer.packet).answers).toMatchObject([{ data: '198.51.100.7' }]);
    expect(answer.learnt.map(({ address }) => address)).toEqual(['198.51.100.7']);
    expect(answer.refused).toBe('"api.example.com" stands for 10.1.2.3, which is private.');
  });

  test('has none at all when all are closed; an IPv4 address in IPv6 is one', async () => {
    const { ask } = scene([aaaa('api.example.com', '::ffff:198.51.100.7')]);
    const answer = await ask('api.example.com', 'AAAA');
    expect([reads(answer.packet).rcode, reads(answer.packet).answers]).toEqual([0, []]);
    expect(answer.refused).toMatch(/IPv4 address in IPv6/);
  });
});

describe('answers', () => {
  const many = Array.from({ length: 60 }, (_, index) => a('api.example.com', `198.51.100.${index}`));

  test('too large for the client come truncated by UDP and whole by TCP', async () => {
    const { ask } = scene(many);
    expect(reads((await ask('api.example.com')).packet)).toMatchObject({ flag_tc: true, answers: [] });
    const answers = [{ edns: 4096 }, { transport: 'tcp' as const }].map((how) => ask('api.example.com', 'A', how));
    for (const answer of await Promise.all(answers)) {
      expect(reads(answer.packet)).toMatchObject({ flag_tc: false });
      expect(reads(answer.packet).answers).toHaveLength(60);
    }
  });

  test('are SERVFAIL when no resolver has one, and NXDOMAIN when the name is not there', async () => {
    const silent = nameResolver({ clock: still, upstream: { ask: () => Promise.resolve(undefined) } });
    const rules = rulesOf({ 'api.example.com': [1] });
    const query = { packet: asks('api.example.com'), transport: 'udp', sandboxId: 's', rules, servers: [] } as const;
    expect(reads((await silent.answer(query)).packet).rcode).toBe(2);
    expect(reads((await scene([]).ask('api.example.com')).packet).rcode).toBe(3);
  });

  test("come from the operator's servers, else the container's, else the host's", async () => {
    const asked: (readonly string[])[] = [];
    const upstream = { ask: (servers: readonly string[]) => Promise.resolve(void asked.push(servers)) };
    const rules = rulesOf({ 'api.example.com': [1] });
    const query = { packet: asks('api.example.com'), transport: 'udp', sandboxId: 's', rules, servers: [] } as const;
    const plain = nameResolver({ clock: still, upstream });
    await plain.answer({ ...query, servers: ['192.0.2.1'] });
    await plain.answer(query);
    await nameResolver({ clock: still, upstream, servers: () => ['192.0.2.2'] }).answer({
      ...query,
      servers: ['192.0.2.1'],
    });
    expect(asked).toEqual([['192.0.2.1'], hostServers(), ['192.0.2.2']]);
  });

  test('are none for what is no question', async () => {
    const { ask } = scene([]);
    expect(await ask('a', 'A', { packet: Buffer.from([1, 2]) })).toEqual({
      packet: undefined,
      learnt: [],
      name: undefined,
    });
  });
});

describe('bounds', () => {
  test('hold back a tunnel: new names below a wildcard, not names that were asked before', async () => {
    const { upstream, ask } = scene([]);
    for (let index = 0; index < 600; index += 1) await ask(`x${index}.example.org`);
    expect(upstream.asked).toHaveLength(500);
    expect(reads((await ask('y.example.org')).packet).rcode).toBe(5);
    expect((await ask('y.example.org')).refused).toMatch(/too many different names/);
    expect(reads((await ask('x1.example.org')).packet).rcode).toBe(3);
  });

  test('hold back long names', async () => {
    const { upstream, ask } = scene([]);
    const answer = await ask(`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(40)}.example.org`, 'A', {
      rules: rulesOf({}, { rulesFor: () => [1] }),
    });
    expect(answer.refused).toMatch(/longer than names of hosts are/);
    expect(upstream.asked).toEqual([]);
  });

  test('are each sandbox’s own, and end with it', async () => {
    const { resolver, ask } = scene([]);
    for (let index = 0; index < 1001; index += 1) await ask('denied.example');
    expect(reads((await ask('denied.example')).packet).rcode).toBe(5);
    expect(reads((await ask('denied.example', 'A', { sandboxId: 't' })).packet).rcode).toBe(3);
    resolver.forget('s');
    expect(reads((await ask('denied.example')).packet).rcode).toBe(3);
  });
});
