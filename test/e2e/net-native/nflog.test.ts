import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { until } from '../helpers/docker.ts';
import type { KernelConnection, Message } from '../kernel/connection.ts';
import { NetHelper } from './helper.ts';
import { Space } from './space.ts';

const RULES = `add table inet ucp
delete table inet ucp
table inet ucp {
  chain out { type filter hook output priority filter; policy accept;
    ct direction reply accept
    meta l4proto { tcp, udp } th dport 1000-60000 log prefix "ucp:deny:7" group 85 snaplen 96 queue-threshold 1 reject with icmpx admin-prohibited
    meta l4proto { icmp, icmpv6 } ip daddr 10.3.3.3 log prefix "ucp:deny:ping" group 85 drop
    ip6 daddr fd09::9 meta l4proto tcp log prefix "ucp:allow:9" group 85
  }
}`;
/** Kinds of packets that are told apart in a second. */
const KINDS = 256;

const sum = (events: readonly Message[]): number => events.reduce((total, { count }) => total + Number(count), 0);

describe('logged packets', () => {
  let helper: NetHelper;
  let net: KernelConnection;
  let space: Space;

  beforeAll(async () => {
    helper = await NetHelper.start();
  });
  afterAll(async () => helper[Symbol.asyncDispose]());
  beforeEach(async () => {
    net = await helper.hello();
    space = await Space.make();
    await net.accepted({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 1, rules: RULES });
    return async () => {
      await net.ask({ op: 'detach', sandbox: 'a' });
      net.close();
      await net.closed;
      await space[Symbol.asyncDispose]();
    };
  });

  const send = async (count: number, port: number, spread = false): Promise<unknown> => {
    const packets = Array.from({ length: count }, () => 'aGk=');
    return space.tell({ do: 'udp', address: '10.1.1.1', port, packets, count: 0, spread });
  };
  const told = (name: string, wanted: Message = {}): readonly Message[] =>
    net.events.filter(
      (event) => event['event'] === name && Object.entries(wanted).every(([key, value]) => event[key] === value),
    );

  const keptAndLost = (): readonly number[] => [
    sum(told('packet', { destinationPort: 2002 })),
    sum(told('packets_lost', { reason: 'client' })),
  ];

  test('are told with all that is known', async () => {
    await space.tell({ do: 'udp', address: '10.1.1.1', port: 1234, packets: ['aGk='], count: 0 });
    expect(await net.event({ event: 'packet', destinationPort: 1234 })).toEqual({
      event: 'packet',
      sandbox: 'a',
      prefix: 'ucp:deny:7',
      family: 4,
      protocol: 17,
      source: '10.1.1.1',
      destination: '10.1.1.1',
      sourcePort: expect.any(Number),
      destinationPort: 1234,
      uid: 0,
      count: 1,
    });
    expect(await space.connect('fd09::9', 80)).toBe('ECONNREFUSED');
    expect(await net.event({ event: 'packet', prefix: 'ucp:allow:9' })).toMatchObject({
      family: 6,
      protocol: 6,
      source: 'fd09::9',
      destination: 'fd09::9',
      destinationPort: 80,
    });
    await space.sh('ping -c 1 -W 1 10.3.3.3 || busybox ping -c 1 -W 1 10.3.3.3 || true');
    expect(await net.event({ event: 'packet', prefix: 'ucp:deny:ping' })).toMatchObject({
      protocol: 1,
      destination: '10.3.3.3',
      sourcePort: 0,
      destinationPort: 0,
    });
  });

  test('that are alike are told once, then counted, exactly', async () => {
    await send(500, 2000);
    await send(300, 2001);
    await until('all are counted', () => sum(told('packet', { destinationPort: 2000 })) >= 500);
    await until('all are counted', () => sum(told('packet', { destinationPort: 2001 })) >= 300);
    expect(told('packet', { destinationPort: 2000 })[0]).toMatchObject({ count: 1 });
    expect(told('packet').length).toBeLessThan(100);
    await send(1, 2000);
    await until('one more', () => sum(told('packet', { destinationPort: 2000 })) >= 501);
    expect([sum(told('packet', { destinationPort: 2000 })), sum(told('packet', { destinationPort: 2001 }))]).toEqual([
      501, 300,
    ]);
    expect(await net.accepted({ op: 'counters', sandbox: 'a' })).toMatchObject({ nflog: { packets: 801, lost: 0 } });
    expect(told('packets_lost')).toEqual([]);
  });

  test('of too many kinds are counted without telling them apart', async () => {
    await send(3 * KINDS, 3000, true);
    await until('all are told of', () => sum(told('packet')) + sum(told('packets_lost')) >= 3 * KINDS);
    expect(sum(told('packet')) + sum(told('packets_lost'))).toBe(3 * KINDS);
    expect(told('packet').length).toBeGreaterThanOrEqual(KINDS);
  });

  test('are kept for the next control plane', async () => {
    net.close();
    await net.closed;
    await send(50, 2002);
    net = await helper.hello();
    // The first may have been told to the one that went: then it is counted as lost.
    await until('all are told of', () => keptAndLost().reduce((all, count) => all + count) >= 50);
    const [kept = 0, lost = 0] = keptAndLost();
    expect(kept + lost).toBe(50);
    expect(kept).toBeGreaterThan(0);
  });

  test('that the kernel drops are counted', async () => {
    process.kill(helper.pid, 'SIGSTOP');
    try {
      await send(20_000, 2003);
    } finally {
      process.kill(helper.pid, 'SIGCONT');
    }
    const total = (): number => sum(told('packet')) + sum(told('packets_lost'));
    await until('all are told of', () => total() >= 20_000);
    expect(sum(told('packets_lost', { reason: 'kernel' }))).toBeGreaterThan(0);
    await send(1, 2004);
    await net.event({ event: 'packet', destinationPort: 2004 });
    expect(total()).toBe(20_001);
  });

  test('are all told of before a detach is answered', async () => {
    await send(40, 2005);
    await net.accepted({ op: 'detach', sandbox: 'a' });
    expect(sum(told('packet'))).toBe(40);
  });
});
