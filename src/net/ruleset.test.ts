import { execFileSync } from 'node:child_process';

import { describe, expect, test } from 'vitest';

import { compileNetwork, type NetworkConfig } from '../policy/index.ts';
import type { NetworkFacts } from './facts.ts';
import { networkRules } from './rules.ts';
import { learntText } from './egress.ts';
import type { LearntElement } from './facts.ts';
import { networkTable } from './ruleset.ts';
import { NO_TABLE, tableChange, tableText } from './table.ts';

const FACTS: NetworkFacts = {
  addresses: ['172.17.0.2'],
  gateways: ['172.17.0.1'],
  subnets: ['172.17.0.0/16', 'fd12::/64'],
  hostAddresses: ['192.0.2.10', '172.17.0.1', '2001:db8::10'],
  ports: [
    { address: '127.0.0.1', hostPort: 8080, containerPort: 8080, protocol: 'tcp' },
    { address: '0.0.0.0', hostPort: 9000, containerPort: 9000, protocol: 'tcp' },
  ],
};

function rulesOf(config: NetworkConfig) {
  return networkRules(compileNetwork({ network: { c: config } }, 'c'));
}

const FULL: NetworkConfig = {
  remediate: true,
  egress: [
    { to: ['api.example.com', '*.example.org', '93.184.216.0/24', '93.184.216.34'], ports: [443, '8000-8010'] },
    { to: ['0.0.0.0/0', '::/0'], ports: ['1-1000'] },
    { to: ['10.1.0.0/16', 'fd00::/8', '169.254.169.254', '192.0.2.10'], ports: [5432] },
    { to: ['ntp.example.com'], ports: [123], protocol: 'udp' },
  ],
  ingress: [
    { ports: [8080, '9000-9001'], from: ['198.51.100.0/24', '127.0.0.1'] },
    { ports: [9000], from: ['172.17.0.0/16'] },
  ],
};

const CONFIGS: Readonly<Record<string, NetworkConfig>> = {
  full: FULL,
  observed: { ...FULL, remediate: false },
  nothing: { remediate: true, egress: [], ingress: [] },
  everybody: { remediate: true, egress: [], ingress: [{ ports: [9000, 8080], from: ['0.0.0.0/0', '::/0'] }] },
  outward: { remediate: true, egress: [{ to: ['*.example.net'], ports: [443] }] },
};

/** All that puts a configuration in force. */
function textOf(rules: ReturnType<typeof rulesOf>, learnt: readonly LearntElement[] = []): string {
  const table = networkTable(rules, FACTS);
  return table === undefined ? NO_TABLE : tableText(table) + learntText(rules, learnt, false);
}

/** In a network namespace of its own; many elements need a socket buffer that only root may have. */
function check(text: string): void {
  const own = process.getuid?.() === 0 ? '-n' : '-rn';
  execFileSync('unshare', [own, 'nft', '-c', '-f', '-'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] });
}

describe('the rules of a sandbox as nft text', () => {
  test.each(Object.keys(CONFIGS))('%s', async (name) => {
    const config = CONFIGS[name] ?? {};
    const rules = rulesOf(config);
    const learnt = [...(rules.names.get('api.example.com') ?? [])].flatMap(({ id }) => [
      { address: '198.51.100.7', rule: id, timeoutSeconds: 60 },
      { address: '2001:db8:1::7', rule: id, timeoutSeconds: 300 },
    ]);
    const text = textOf(rules, learnt);
    check(text);
    await expect(text).toMatchFileSnapshot(`testing/golden/${name}.nft`);
  });

  test('is taken back by the kernel where it is not understood: the check can fail', () => {
    expect(() => check('table inet ucp { chain x { nonsense } }')).toThrow('syntax error');
  });

  test('of a configuration that is switched off is no table', () => {
    expect(textOf(rulesOf({ ...FULL, enable: false }))).toBe(NO_TABLE);
    check(NO_TABLE);
  });

  test('of many names and addresses is understood', () => {
    const addresses = Array.from({ length: 10_000 }, (_, n) => `203.${n >> 12}.${(n >> 4) & 255}.${(n & 15) * 16}/28`);
    const names = Array.from({ length: 1_000 }, (_, n) => `host-${n}.example.com`);
    const text = textOf(rulesOf({ remediate: true, egress: [{ to: [...names, ...addresses], ports: [443] }] }));
    check(text);
    expect(text.split('\n').length).toBeLessThan(120);
  });
});

/** What the kernel lists after these transactions, in a network namespace of its own. */
function listed(...transactions: readonly string[]): string {
  const own = process.getuid?.() === 0 ? '-n' : '-rn';
  const all = transactions.map((text) => `nft -f - <<'END'\n${text}END\n`).join('');
  const script = `set -e\n${all}nft -s list table inet ucp`;
  const text = execFileSync('unshare', [own, 'sh', '-s'], { input: script, encoding: 'utf8' });
  // Elements with a time and counts are as they are; sets and their elements stand in no order.
  const parts = text.split(/^\t(?=set|map|counter|chain)/m);
  return parts
    .map((part) =>
      /^(?:set|map)/.test(part)
        ? part
            .split(/[\s,]+/)
            .toSorted()
            .join(' ')
        : part,
    )
    .toSorted()
    .join('\n');
}

describe('the change from one configuration to another', () => {
  const pairs = Object.keys(CONFIGS).flatMap((before) => Object.keys(CONFIGS).map((after) => [before, after] as const));
  test.each(pairs)('from %s to %s ends where all of it begins', (before, after) => {
    const [old, now] = [before, after].map((name) => networkTable(rulesOf(CONFIGS[name] ?? {}), FACTS));
    if (old === undefined || now === undefined) throw new Error('expected two tables');
    const change = tableChange(old, now);
    // Only who observes has other counters.
    expect(change === undefined).toBe((before === 'observed') !== (after === 'observed'));
    expect(listed(tableText(old), change ?? tableText(now))).toBe(listed(tableText(now)));
  });

  test('of one of many addresses says that one alone, and closes it', () => {
    const addresses = Array.from({ length: 2_000 }, (_, n) => `203.0.${n >> 8}.${n & 255}`);
    const [old, now] = [addresses, addresses.slice(1)].map((to) =>
      networkTable(rulesOf({ remediate: true, egress: [{ to, ports: [443] }] }), FACTS),
    );
    if (old === undefined || now === undefined) throw new Error('expected two tables');
    const change = tableChange(old, now) ?? '';
    expect(change).toContain(' { 203.0.0.0 : ');
    expect(change).not.toContain('203.0.0.1');
    expect(listed(tableText(old), change)).toBe(listed(tableText(now)));
  });

  test('of names keeps what they stand for, and takes out what rules that are gone learnt', () => {
    const [both, one] = [['a.example', 'b.example'], ['a.example']].map((to) =>
      rulesOf({ remediate: true, egress: [{ to, ports: [443] }] }),
    );
    if (both === undefined || one === undefined) throw new Error('expected two configurations');
    const [a, b] = ['a.example', 'b.example'].map((name) => both.names.get(name)?.[0]?.id ?? 0);
    const learnt = [
      { address: '198.51.100.7', rule: b ?? 0, timeoutSeconds: 600 },
      { address: '198.51.100.7', rule: a ?? 0, timeoutSeconds: 600 },
      { address: '198.51.100.8', rule: b ?? 0, timeoutSeconds: 600 },
    ];
    const [old, now] = [networkTable(both, FACTS), networkTable(one, FACTS)];
    if (old === undefined || now === undefined) throw new Error('expected two tables');
    const change = (tableChange(old, now) ?? '') + learntText(one, learnt, true);
    const text = listed(tableText(old) + learntText(both, learnt, false), change);
    expect(text).toContain('198.51.100.7');
    expect(text).not.toContain('198.51.100.8');
    const widened = listed(tableText(now) + learntText(one, learnt, false), tableChange(now, old) ?? '');
    expect(widened).toContain('198.51.100.7');
  });
});

function idsOf(config: NetworkConfig): readonly (readonly [string, number])[] {
  return [...rulesOf(config).byId.values()].map(({ pointer, id }) => [pointer, id]);
}

describe('ids of rules', () => {
  test('stay when the policy around the rule changes, and are never one of ours', () => {
    const before = new Map(idsOf(FULL).map(([pointer, id]) => [pointer, id]));
    const changed = { ...FULL, egress: [{ to: ['new.example'], ports: [1] }, ...(FULL.egress ?? [])] };
    const after = new Map(idsOf(changed).map(([pointer, id]) => [pointer, id]));
    expect(after.get('/network/c/egress/1/to/0')).toBe(before.get('/network/c/egress/0/to/0'));
    expect(after.get('/network/c/egress/3/to/2')).toBe(before.get('/network/c/egress/2/to/2'));
    expect([...before.values()].every((id) => id >= 16 && id < 2 ** 32)).toBe(true);
  });

  test('change with the ports', () => {
    const [[, one] = []] = idsOf({ egress: [{ to: ['a.example'], ports: [443] }] });
    const [[, two] = []] = idsOf({ egress: [{ to: ['a.example'], ports: [443, 80] }] });
    expect(one).not.toBe(two);
  });
});

function portsOf(ports: (number | string)[]) {
  return rulesOf({ egress: [{ to: ['0.0.0.0/0'], ports }] }).ranges[0]?.ports;
}

describe('DNS over TLS', () => {
  test('is in no range of ports, and opened by its own number', () => {
    expect(portsOf(['1-65535'])).toEqual([
      { from: 1, to: 852 },
      { from: 854, to: 65_535 },
    ]);
    expect(portsOf(['1-65535', 853])).toEqual([{ from: 1, to: 65_535 }]);
    expect(portsOf(['853-853'])).toEqual([{ from: 853, to: 853 }]);
  });
});
