import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { until } from '../helpers/docker.ts';
import type { KernelConnection } from '../kernel/connection.ts';
import { NetHelper } from './helper.ts';
import { Space } from './space.ts';

const REFUSED = 'ECONNREFUSED';
const EMPTY = 'add table inet ucp\ndelete table inet ucp\n';

/** A table that refuses connections to these addresses and ports, and lets the rest pass. */
const refusing = (...targets: readonly string[]): string => `${EMPTY}table inet ucp {
  counter refused { }
  counter untouched { }
  chain out { type filter hook output priority filter; policy accept;
${targets.map((target) => `    ${target} counter name refused reject with tcp reset`).join('\n')}
  }
}`;

/** Lets out to what is in a map by address, a set by address and port, and their IPv6 counterparts. */
const LEARNING = `${EMPTY}table inet ucp {
  map names4 { type ipv4_addr : mark; flags timeout; }
  map names6 { type ipv6_addr : mark; flags timeout; }
  set pairs4 { type ipv4_addr . inet_service; flags timeout; }
  map pairs6 { type ipv6_addr . inet_service : mark; flags timeout; }
  chain out { type filter hook output priority filter; policy accept;
    ct direction reply accept
    ct mark set ip daddr map @names4
    ct mark set ip6 daddr map @names6
    ct mark set ip6 daddr . tcp dport map @pairs6
    ct mark 7 accept
    ip daddr . tcp dport @pairs4 accept
    tcp dport { 1000, 1001 } reject with tcp reset
  }
}`;

/** An element of `names4`, or of another set. */
const learnt = (changes: object): object => ({
  set: 'names4',
  family: 4,
  address: '10.9.9.9',
  timeout: 100,
  ...changes,
});

describe('rules in the namespace of a sandbox', () => {
  let helper: NetHelper;
  let net: KernelConnection;
  let space: Space;

  beforeAll(async () => {
    [helper, space] = await Promise.all([NetHelper.start(), Space.make()]);
    net = await helper.hello();
    for (const port of [1000, 1001]) {
      for (const address of ['127.0.0.1', '10.9.9.9', 'fd09::9']) {
        await space.done({ do: 'serve', address, port, answer: 'aGk=' });
      }
    }
  });
  afterAll(async () => {
    net.close();
    await space[Symbol.asyncDispose]();
    await helper[Symbol.asyncDispose]();
  });

  const attach = async (rules: string): Promise<unknown> =>
    net.accepted({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 1, rules });
  const update = async (rules: string, more = {}): Promise<unknown> =>
    net.accepted({ op: 'update', sandbox: 'a', generation: 2, rules, ...more });

  test('are in force after attach, and only there', async () => {
    await using other = await Space.make();
    await other.done({ do: 'serve', address: '10.9.9.9', port: 1000, answer: 'aGk=' });
    expect(await attach(refusing('ip daddr 10.9.9.9 tcp dport 1000'))).toMatchObject({ dns6: true });
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    expect(await space.connect('10.9.9.9', 1001)).toBe('');
    expect(await other.connect('10.9.9.9', 1000)).toBe('');
  });

  test('are replaced by update, and counted by name', async () => {
    await attach(refusing('tcp dport 1000'));
    await update(refusing('tcp dport 1001'));
    expect(await space.connect('10.9.9.9', 1000)).toBe('');
    expect(await space.connect('fd09::9', 1001)).toBe(REFUSED);
    expect(await net.accepted({ op: 'counters', sandbox: 'a' })).toMatchObject({
      counters: { refused: { packets: 1, bytes: 80 }, untouched: { packets: 0, bytes: 0 } },
    });
  });

  test('stay as they are when new ones are refused as a whole, and nft says why', async () => {
    await attach(refusing('tcp dport 1000'));
    const answer = await net.ask({
      op: 'update',
      sandbox: 'a',
      generation: 3,
      rules: `${EMPTY}\ntable inet ucp { chain out { tcp dport nonsense; } }`,
    });
    expect(answer).toMatchObject({ ok: false, code: 'NET_RULES_REFUSED', pointer: '/rules' });
    expect(answer['message']).toContain('nonsense');
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    const again = await net.ask({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 3, rules: 'nonsense' });
    expect(again).toMatchObject({ ok: false, code: 'NET_RULES_REFUSED' });
    expect(await net.ask({ op: 'hello', protocol: 1 })).toMatchObject({
      sandboxes: [{ sandbox: 'a', pid: space.pid, generation: 1 }],
    });
  });

  test('hold any number of names and addresses', async () => {
    const addresses = Array.from({ length: 10_000 }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
    await attach(`${EMPTY}table inet ucp {
      set many { type ipv4_addr; elements = { ${addresses.join(', ')} }; }
      chain out { type filter hook output priority filter; ip daddr @many tcp dport 1000 reject with tcp reset; }
    }`);
    expect(await space.connect('10.0.5.5', 1000)).toBe(REFUSED);
    expect(await space.connect('10.9.9.9', 1000)).toBe('');
  });

  test('requests to one sandbox take effect in their order', async () => {
    await attach(refusing());
    const answers = await Promise.all([
      update(LEARNING),
      net.accepted({ op: 'elements', sandbox: 'a', add: [learnt({ rule: 7 })] }),
      update(refusing('tcp dport 1001')),
      net.ask({ op: 'elements', sandbox: 'a', add: [learnt({ rule: 7 })] }),
    ]);
    expect(answers[3]).toMatchObject({ ok: false, code: 'NET_ELEMENTS_REFUSED', pointer: '/add/0' });
    expect(await space.connect('10.9.9.9', 1001)).toBe(REFUSED);
  });

  test('let out to learnt addresses', async () => {
    await attach(LEARNING);
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    await net.accepted({ op: 'elements', sandbox: 'a', add: [learnt({ rule: 8 })] });
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    await net.accepted({
      op: 'elements',
      sandbox: 'a',
      add: [learnt({ rule: 7 }), learnt({ set: 'names6', family: 6, address: 'fd09::9', rule: 7 })],
    });
    expect(await space.connect('10.9.9.9', 1000)).toBe('');
    expect(await space.connect('10.9.9.9', 1001)).toBe('');
    expect(await space.connect('fd09::9', 1000)).toBe('');
    expect(await space.connect('127.0.0.1', 1000)).toBe(REFUSED);

    await update(LEARNING);
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    await net.accepted({
      op: 'elements',
      sandbox: 'a',
      add: [
        learnt({ set: 'pairs4', port: 1001 }),
        learnt({ set: 'pairs6', family: 6, address: 'fd09::9', port: 1000, rule: 7 }),
      ],
    });
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    expect(await space.connect('10.9.9.9', 1001)).toBe('');
    expect(await space.connect('fd09::9', 1000)).toBe('');
    expect(await space.connect('fd09::9', 1001)).toBe(REFUSED);
  });

  test('forget a learnt address in its time, and later when it was learnt again', async () => {
    await attach(LEARNING);
    await net.accepted({
      op: 'elements',
      sandbox: 'a',
      add: [
        learnt({ rule: 7, timeout: 1 }),
        learnt({ set: 'names6', family: 6, address: 'fd09::9', rule: 7, timeout: 1 }),
      ],
    });
    await net.accepted({ op: 'elements', sandbox: 'a', add: [learnt({ rule: 7, timeout: 1000 })] });
    await until('the address is forgotten', async () => (await space.connect('fd09::9', 1000)) === REFUSED);
    expect(await space.connect('10.9.9.9', 1000)).toBe('');
    await net.accepted({ op: 'elements', sandbox: 'a', add: [learnt({ rule: 7, timeout: 1 })] });
    await until('the other is forgotten', async () => (await space.connect('10.9.9.9', 1000)) === REFUSED);
  });

  test('take learnt addresses all or none', async () => {
    await attach(LEARNING);
    const add = [learnt({ rule: 7 }), learnt({ set: 'absent', rule: 7 })];
    const answer = await net.ask({ op: 'elements', sandbox: 'a', add });
    expect(answer).toMatchObject({ ok: false, code: 'NET_ELEMENTS_REFUSED', pointer: '/add/1' });
    expect(await space.connect('10.9.9.9', 1000)).toBe(REFUSED);
    const many = Array.from({ length: 1024 }, (_, at) => learnt({ address: `10.1.${at >> 8}.${at & 255}`, rule: 7 }));
    await net.accepted({ op: 'elements', sandbox: 'a', add: many });
    await net.accepted({ op: 'elements', sandbox: 'a', add: many });
    expect((await space.sh('nft list map inet ucp names4')).match(/expires/g)).toHaveLength(1024);
  });

  test('end idle connections that an update names, and no others', async () => {
    await attach(refusing());
    const places = [
      ['10.9.9.9', 1000],
      ['10.9.9.9', 1001],
      ['127.0.0.1', 1000],
      ['fd09::9', 1000],
    ] as const;
    await using fresh = await Space.make();
    for (const [address, port] of places) {
      await fresh.done({ do: 'serve', address, port, answer: '' });
      await fresh.done({ do: 'hold', address, port });
    }
    await net.accepted({ op: 'attach', sandbox: 'fresh', pid: fresh.pid, generation: 1, rules: EMPTY });
    const rules = refusing();
    const ask = { op: 'update', sandbox: 'fresh', generation: 2, rules };
    expect(await net.accepted({ ...ask, destroy: [{ address: '10.9.9.9', port: 999 }] })).toMatchObject({
      destroyed: 0,
    });
    expect(await net.accepted({ ...ask, destroy: [{ address: '10.9.9.9', port: 1000 }] })).toMatchObject({
      destroyed: 1,
    });
    await until('it ended', async () => (await fresh.tell({ do: 'streams' })).got[0] === 'closed');
    expect((await fresh.tell({ do: 'streams' })).got).toEqual(['closed', 'open', 'open', 'open']);
    const rest = [
      { address: '10.0.0.0/8', port: 0 },
      { address: 'fd09::/16', port: 1000 },
    ];
    expect(await net.accepted({ ...ask, destroy: rest })).toMatchObject({ destroyed: 2 });
    await until('both ended', async () => (await fresh.tell({ do: 'streams' })).got[3] === 'closed');
    expect((await fresh.tell({ do: 'streams' })).got).toEqual(['closed', 'closed', 'open', 'closed']);
    await net.accepted({ op: 'detach', sandbox: 'fresh' });
  });
});
