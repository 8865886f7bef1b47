import { beforeEach, describe, expect, test } from 'vitest';

import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { silentLogger } from '../../core/ports.ts';
import type { ContainerNetwork } from '../../engine/engine.ts';
import type { NameAnswer, NameQuery } from '../../net/dns-port.ts';
import type { Network } from '../../policy/index.ts';
import { ManualClock } from '../../telemetry/testing/manual-clock.ts';
import { EventList } from '../testing/event-list.ts';
import { found, NETWORK, QUESTION, WEB } from '../testing/network-scene.ts';
import { FakeHelper } from '../testing/fake-helper.ts';
import { policyOf, recordOf } from '../testing/scene.ts';
import { until } from '../testing/until.ts';
import { NetworkControl } from './network-control.ts';

let helper: FakeHelper;
let clock: ManualClock;
let events: EventList;
let control: NetworkControl;
let network: ContainerNetwork;
let answer: (query: NameQuery) => NameAnswer;
beforeEach(() => {
  helper = new FakeHelper();
  clock = new ManualClock();
  events = new EventList();
  network = NETWORK;
  answer = () => ({ packet: Uint8Array.of(1), learnt: [], name: 'x' });
  control = new NetworkControl({
    helper,
    engine: { network: async () => network },
    resolver: { answer: async (query) => answer(query), forget: () => undefined },
    events,
    logger: silentLogger,
    clock,
    networks: (policy) => policy.network ?? {},
  });
});

async function apply(networks: Network, config: string | null = 'web'): Promise<void> {
  const policy = policyOf(1);
  await control.apply({
    record: recordOf('s1', config === null ? {} : { networkConfig: config }),
    containerId: 'c1',
    policy: { ...policy, policy: { ...policy.policy, network: networks } },
  });
}

describe('a start', () => {
  test('without a configuration asks nothing of the helper', async () => {
    await apply({ web: WEB }, null);
    expect(helper.asked).toEqual([]);
  });

  test('attaches to the process that the engine names, with the rules', async () => {
    await apply({ web: WEB });
    expect(helper.asked).toMatchObject([{ op: 'attach', params: { sandbox: 's1', pid: 7 } }]);
    expect(helper.rules()).toContain('93.184.216.34');
    expect(control.inForce('s1')).toBe(true);
  });

  test('is refused when the helper refuses', async () => {
    helper.refuses = new UcpError('HELPER_REFUSED', 'no');
    await expect(apply({ web: WEB })).rejects.toMatchObject({ code: 'HELPER_REFUSED' });
    expect(control.inForce('s1')).toBe(false);
  });

  test('goes on without rules that are only observed, and says so', async () => {
    helper.refuses = new UcpError('HELPER_REFUSED', 'no');
    await apply({ web: { ...WEB, remediate: false } });
    expect(events.names).toEqual(['network_unobserved']);
  });

  test('with an IPv6 source is refused where the network has none', async () => {
    const six = { ...WEB, ingress: [{ ports: [80], from: ['2001:db8::/32'] }] };
    await expect(apply({ web: six })).rejects.toMatchObject({
      code: 'INGRESS_UNREACHABLE',
      pointer: '/network/web/ingress/0/from/0',
    });
    network = { ...NETWORK, addresses: ['172.17.0.2', 'fd12::2'] };
    await apply({ web: six });
  });

  test('after the one before it is its own, and the end of that one ends nothing', async () => {
    await apply({ web: WEB });
    network = { ...NETWORK, pid: 8 };
    await apply({ web: WEB });
    await control.release('s1');
    expect(helper.ops).toEqual(['attach', 'attach']);
    await control.release('s1');
    expect(helper.ops).toEqual(['attach', 'attach', 'detach']);
  });

  test('that an earlier control plane attached with the same rules is taken over as it is', async () => {
    await apply({ web: WEB });
    const { generation } = helper.asked[0]?.params ?? {};
    await control.release('s1');
    helper.asked.length = 0;
    helper.greeting = { sandboxes: [{ sandbox: 's1', pid: 7, generation: generation ?? 0 }] };
    await apply({ web: WEB });
    expect(helper.ops).toEqual([]);
    await apply({ web: { ...WEB, egress: [] } });
    expect(helper.ops).toEqual(['update']);
  });
});

describe('a policy that changes', () => {
  test('replaces the rules, keeps what names stood for, and closes what is no longer let out', async () => {
    await apply({ web: WEB });
    answer = found;
    helper.say(QUESTION);
    await until('answered', () => helper.ops.includes('dns_answer'));
    const allowed = { event: 'packet', sandbox: 's1', prefix: 'ucp:allow:out', protocol: 6, destinationPort: 443 };
    helper.say({ ...allowed, destination: '93.184.216.34' });
    helper.say({ ...allowed, destination: '198.51.100.7' });
    clock.advance(40_000);
    await apply({ web: { ...WEB, egress: [{ to: ['api.example.com'], ports: [443] }] } });
    expect(helper.asked.at(-1)).toMatchObject({
      op: 'update',
      params: { destroy: [{ address: '93.184.216.34', port: 443 }] },
    });
    expect(helper.rules()).toMatch(/198\.51\.100\.7 timeout 60s/);
    expect(helper.rules()).not.toContain('93.184.216.34');
  });

  test('that says the same asks nothing of the helper', async () => {
    await apply({ web: WEB });
    await apply({ web: WEB, other: {} });
    expect(helper.ops).toEqual(['attach']);
  });

  test('and no longer has the configuration closes everything', async () => {
    await apply({ web: WEB });
    await apply({ other: WEB });
    expect(helper.ops).toEqual(['attach', 'update']);
    expect(helper.rules()).toMatch(/chain egress \{[^}]*goto refuse_rule/);
    expect(helper.rules()).not.toContain('goto allow_out');
    expect(helper.rules()).toMatch(/delete map inet ucp learnt_\w+_v4/);
  });

  test('is put in force as a whole where the kernel has something else than we think', async () => {
    await apply({ web: WEB });
    helper.refusesOnce = new UcpError('NET_RULES_REFUSED', 'no such table');
    await apply({ web: { ...WEB, egress: [] } });
    expect(helper.ops).toEqual(['attach', 'update', 'update']);
    expect(helper.rules(1)).not.toContain('delete table');
    expect(helper.rules(2)).toContain('delete table inet ucp');
    await apply({ web: WEB });
    expect(helper.rules(3)).not.toContain('delete table');
    // Not known what became of it: the next one is whole, too.
    helper.refusesOnce = new UcpError('NET_RULES_TIMEOUT', 'no answer');
    await expect(apply({ web: { ...WEB, egress: [] } })).rejects.toMatchObject({ code: 'NET_RULES_TIMEOUT' });
    await apply({ web: { ...WEB, egress: [] } });
    expect(helper.rules()).toContain('delete table inet ucp');
  });

  test('and is refused by the helper leaves what was', async () => {
    await apply({ web: WEB });
    helper.refuses = new UcpError('HELPER_REFUSED', 'no');
    await expect(apply({ web: { ...WEB, egress: [] } })).rejects.toMatchObject({ code: 'HELPER_REFUSED' });
    helper.refuses = undefined;
    await helper.restart(await helper.link());
    expect(helper.rules()).toContain('93.184.216.34');
  });
});

describe('a network that is joined or left', () => {
  test('is closed like the others, and what names stood for stays', async () => {
    await apply({ web: WEB });
    answer = found;
    helper.say(QUESTION);
    await until('answered', () => helper.ops.includes('dns_answer'));
    const { gateways, subnets } = NETWORK;
    network = { ...NETWORK, gateways: [...gateways, '192.88.99.1'], subnets: [...subnets, '192.88.99.2/28'] };
    await control.networksChanged('s1', 'c1');
    expect(helper.ops.at(-1)).toBe('update');
    expect(helper.rules()).toMatch(/add element inet ucp host_v4 \{ .*192\.88\.99\.1/);
    expect(helper.rules()).not.toMatch(/learnt_\w+ \{|flush map/);
    expect(helper.rules(0)).not.toContain('192.88.99.1');
    network = NETWORK;
    await control.networksChanged('s1', 'c1');
    expect(helper.rules()).toMatch(/delete element inet ucp host_v4 \{ .*192\.88\.99\.1/);
  });

  test('changes nothing where rules stay the same, of another start, or of a sandbox without rules', async () => {
    await apply({ web: WEB });
    await control.networksChanged('s1', 'c1');
    network = { ...NETWORK, pid: 8, gateways: ['192.88.99.1'] };
    await control.networksChanged('s1', 'c1');
    await control.networksChanged('s2', 'c2');
    expect(helper.ops).toEqual(['attach']);
  });
});

describe('a name', () => {
  test('is let out to before its answer is sent', async () => {
    await apply({ web: WEB });
    answer = found;
    helper.say(QUESTION);
    await until('answered', () => helper.ops.includes('dns_answer'));
    expect(helper.asked.slice(1)).toMatchObject([
      { op: 'elements', params: { add: [{ family: 4, address: '198.51.100.7', timeout: 100 }] } },
      { op: 'dns_answer', params: { query: 4, packet: 'Ag==' } },
    ]);
    const [element] = (helper.asked[1]?.params['add'] ?? []) as JsonObject[];
    expect(helper.rules(0)).toContain(`map ${JSON.stringify(element?.['set']).slice(1, -1)} {`);
  });

  test('is not entered again while enough of its time is left, and only once it was taken in', async () => {
    await apply({ web: WEB });
    answer = found;
    const asked = async (): Promise<number> => {
      const before = helper.ops.length;
      helper.say(QUESTION);
      await until('asked', () => helper.ops.slice(before).some((op) => op === 'dns_answer' || helper.refuses));
      return helper.ops.slice(before).filter((op) => op === 'elements').length;
    };
    helper.refuses = new UcpError('HELPER_REFUSED', 'no');
    expect(await asked()).toBe(1);
    helper.refuses = undefined;
    expect(await asked()).toBe(1);
    clock.advance(50_000);
    expect(await asked()).toBe(0);
    clock.advance(1);
    expect(await asked()).toBe(1);
  });

  test('of a sandbox that nobody knows is dropped', async () => {
    helper.say(QUESTION);
    await until('dropped', () => helper.ops.length > 0);
    expect(helper.ops).toEqual(['dns_drop']);
  });

  test('that is refused is told once a second with its count', async () => {
    await apply({ web: WEB });
    answer = () => ({ packet: Uint8Array.of(3), learnt: [], name: 'evil.example', type: 'A', refused: 'No rule.' });
    for (let round = 0; round < 3; round += 1) helper.say({ ...QUESTION, query: round });
    await until('answered', () => helper.ops.filter((op) => op === 'dns_answer').length === 3);
    clock.advance(1_000);
    expect(events.events).toMatchObject([
      { name: 'network_violation', body: { name: 'evil.example', count: 1 }, violation: { action: 'blocked' } },
      { name: 'network_violation', body: { name: 'evil.example', count: 2 } },
    ]);
  });
});

describe('a packet', () => {
  test('that was refused is a violation with the name that was asked', async () => {
    await apply({ web: WEB });
    answer = found;
    helper.say(QUESTION);
    await until('answered', () => helper.ops.includes('dns_answer'));
    const refused = { event: 'packet', sandbox: 's1', protocol: 6, destination: '198.51.100.7', destinationPort: 22 };
    helper.say({ ...refused, prefix: 'ucp:deny:rule', uid: 1000, count: 3 });
    for (const destination of ['198.51.100.7', '93.184.216.34']) {
      helper.say({ ...refused, prefix: 'ucp:allow:out', destination, destinationPort: 443 });
    }
    helper.say({
      event: 'packet',
      sandbox: 's1',
      prefix: 'ucp:allow:in',
      protocol: 6,
      source: '192.0.2.1',
      destinationPort: 80,
    });
    helper.say({ event: 'packets_lost', sandbox: 's1', count: 9, reason: 'kernel' });
    expect(events.events).toMatchObject([
      {
        name: 'network_violation',
        severity: 'ERROR',
        body: { name: 'api.example.com', address: '198.51.100.7', port: 22, uid: 1000, count: 3, config: 'web' },
        violation: { rule: '/network/web/egress', mode: 'enforce', action: 'blocked' },
      },
      { name: 'network_connect', body: { name: 'api.example.com', rule: '/network/web/egress/0/to/0' } },
      { name: 'network_connect', body: { name: null, rule: '/network/web/egress/0/to/1' } },
      {
        name: 'network_connect',
        severity: 'INFO',
        body: { direction: 'in', rule: '/network/web/ingress', address: '192.0.2.1', port: 80 },
      },
      { name: 'sensor_events_lost', body: { lost: 9 } },
    ]);
  });
});

test('a helper that comes back is told of every sandbox', async () => {
  await apply({ web: WEB });
  await helper.restart(await helper.link());
  expect(helper.ops).toEqual(['attach', 'attach']);
});
