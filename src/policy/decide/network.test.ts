import { describe, expect, it } from 'vitest';

import { parseHost } from './host.ts';
import { compileNetwork, decideEgress, decideIngress } from './network.ts';

const POLICY = {
  network: {
    web: {
      remediate: true,
      egress: [
        { to: ['api.example.com', '*.example.org', '93.184.216.0/24'], ports: [443, '8000-8010'] },
        { to: ['0.0.0.0/0', '::/0'], ports: [80] },
        { to: ['10.1.0.0/16', 'fd00::/8', '169.254.169.254'], ports: [5432] },
        { to: ['ntp.example.com'], ports: [123], protocol: 'udp' as const },
        { to: ['xn--bcher-kva.example', 'Upper.Example'], ports: [443] },
      ],
      ingress: [{ ports: [8080, '9000-9001'], from: ['192.0.2.0/24', '2001:db8::/32'] }],
    },
    none: { remediate: true, egress: [], ingress: [] },
    missing: { remediate: true },
    narrow: { remediate: true, egress: [{ to: ['10.1.0.0/16'], ports: [5432] }] },
    watch: { egress: [] },
    off: { enable: false, remediate: true, egress: [] },
  },
};

function egress(config: keyof (typeof POLICY)['network'], host: string, port: number, more: object = {}): string {
  const { action, rule } = decideEgress(compileNetwork(POLICY, config), { host, port, ...more });
  return `${action} ${rule ?? ''}`.trim();
}

const WEB = '/network/web/egress';
const NO = `blocked ${WEB}`;

describe('decideEgress (NET-01, NET-05, NET-07, NET-08)', () => {
  it.each([
    ['api.example.com', 443, `allowed ${WEB}/0/to/0`],
    ['API.Example.COM', 443, `allowed ${WEB}/0/to/0`],
    ['api.example.com.', 443, `allowed ${WEB}/0/to/0`],
    ['api.example.com', 8005, `allowed ${WEB}/0/to/0`],
    ['api.example.com', 22, NO],
    ['api.example.com', 8011, NO],
    ['example.com', 443, NO],
    ['evilapi.example.com', 443, NO],
    ['api.example.com.evil.net', 443, NO],
    ['a.example.org', 443, `allowed ${WEB}/0/to/1`],
    ['a.b.example.org', 443, `allowed ${WEB}/0/to/1`],
    ['example.org', 443, NO],
    ['evilexample.org', 443, NO],
    ['.example.org', 443, NO],
    ['a..example.org', 443, NO],
    ['93.184.216.34', 443, `allowed ${WEB}/0/to/2`],
    ['93.184.217.34', 443, NO],
    ['1572395042', 443, `allowed ${WEB}/0/to/2`],
    ['0x5db8d822', 443, `allowed ${WEB}/0/to/2`],
    ['::ffff:93.184.216.34', 443, `allowed ${WEB}/0/to/2`],
    ['8.8.8.8', 80, `allowed ${WEB}/1/to/0`],
    ['[2606:4700::1111]', 80, `allowed ${WEB}/1/to/1`],
    ['2606:4700::1111', 80, `allowed ${WEB}/1/to/1`],
    ['10.0.0.1', 80, NO],
    ['127.0.0.1', 80, NO],
    ['127.1', 80, NO],
    ['0x7f.1', 80, NO],
    ['169.254.169.254', 80, NO],
    ['::ffff:169.254.169.254', 80, NO],
    ['::1', 80, NO],
    ['fe80::1', 80, NO],
    ['64:ff9b::7f00:1', 80, NO],
    ['100.64.0.1', 80, NO],
    ['10.1.2.3', 5432, `allowed ${WEB}/2/to/0`],
    ['10.2.2.3', 5432, NO],
    ['fd12::1', 5432, `allowed ${WEB}/2/to/1`],
    ['169.254.169.254', 5432, `allowed ${WEB}/2/to/2`],
    ['user@api.example.com', 443, NO],
    ['api.example.com@evil.net', 443, NO],
    ['api%2eexample.com', 443, NO],
    ['api.example.com:443', 443, NO],
    ['api.example.com/x', 443, NO],
    ['api.example.com ', 443, NO],
    ['fe80::1%eth0', 80, NO],
    ['', 443, NO],
    ['bücher.example', 443, `allowed ${WEB}/4/to/0`],
    ['BÜCHER.example', 443, `allowed ${WEB}/4/to/0`],
    ['ａｐｉ.example.com', 443, `allowed ${WEB}/0/to/0`],
    ['аpi.example.com', 443, NO],
    ['upper.example', 443, `allowed ${WEB}/4/to/1`],
  ])('%s port %i: %s', (host, port, expected) => {
    expect(egress('web', host, port)).toBe(expected);
  });

  it('keeps protocols apart', () => {
    expect(egress('web', 'ntp.example.com', 123, { protocol: 'udp' })).toBe(`allowed ${WEB}/3/to/0`);
    expect(egress('web', 'ntp.example.com', 123)).toBe(NO);
    expect(egress('web', 'api.example.com', 443, { protocol: 'udp' })).toBe(NO);
  });

  it('opens no closed range for a name that resolves into it', () => {
    expect(egress('web', 'api.example.com', 443, { address: '93.184.216.34' })).toBe(`allowed ${WEB}/0/to/0`);
    expect(egress('web', 'api.example.com', 443, { address: '10.0.0.1' })).toBe(NO);
    expect(egress('web', 'api.example.com', 443, { address: '::ffff:127.0.0.1' })).toBe(NO);
  });

  it('lets any name be asked where every address is open, on its ports', () => {
    expect(egress('web', 'any.example', 80)).toBe(`allowed ${WEB}/1/to/0`);
    expect(egress('web', 'any.example', 81)).toBe(NO);
    expect(egress('web', 'any.example', 80, { address: '10.2.2.2' })).toBe(NO);
    expect(egress('web', 'any.example', 443, { address: '93.184.216.7' })).toBe(`allowed ${WEB}/0/to/2`);
    expect(egress('narrow', 'any.example', 5432, { address: '10.1.2.3' })).toBe('blocked /network/narrow/egress');
  });

  it('allows nothing with an empty list and nothing without one (NET-01)', () => {
    expect(egress('none', 'api.example.com', 443)).toBe('blocked /network/none/egress');
    expect(egress('missing', 'api.example.com', 443)).toBe('blocked /network/missing/egress');
  });

  it('observes, and is off when it is switched off', () => {
    expect(egress('watch', 'api.example.com', 443)).toBe('allowed /network/watch/egress');
    expect(egress('off', 'api.example.com', 443)).toBe('allowed');
  });

  it.each(['', 'nope', '../web', '__proto__', 'toString', 'WEB'])('has no configuration %j (PL-10)', (name) => {
    expect(() => compileNetwork(POLICY, name)).toThrow(expect.objectContaining({ code: 'NETWORK_CONFIG_UNKNOWN' }));
  });
});

describe('decideIngress', () => {
  it.each([
    ['web', '192.0.2.7', 8080, 'allowed /network/web/ingress/0/from/0'],
    ['web', '192.0.2.7', 9001, 'allowed /network/web/ingress/0/from/0'],
    ['web', '2001:db8::5', 8080, 'allowed /network/web/ingress/0/from/1'],
    ['web', '192.0.3.7', 8080, 'blocked /network/web/ingress'],
    ['web', '192.0.2.7', 22, 'blocked /network/web/ingress'],
    ['web', 'nonsense', 8080, 'blocked /network/web/ingress'],
    ['none', '192.0.2.7', 8080, 'blocked /network/none/ingress'],
    ['missing', '192.0.2.7', 8080, 'allowed'],
  ])('%s: %s to port %i: %s', (config, from, port, expected) => {
    const { action, rule } = decideIngress(compileNetwork(POLICY, config), { from, port });
    expect(`${action} ${rule ?? ''}`.trim()).toBe(expected);
  });
});

describe('parseHost', () => {
  it.each(['a_b.example', 'xn--bcher-kva.example', 'a'])('takes %s as a name', (text) => {
    expect(parseHost(text)).toEqual({ kind: 'name', name: text });
  });
});
