import { afterAll, beforeAll, describe, expect, vi } from 'vitest';

import type { Network } from '../../../src/policy/index.ts';
import { busybox } from '../../images/index.ts';
import { TestHost } from '../helpers/host.ts';
import { verifies } from '../helpers/verifies.ts';
import { OwnEngine } from './helpers/own-engine.ts';
import { policyFlags } from './helpers/policy-flags.ts';

const PUBLIC = ['198.51.100.242', '2001:db8:fff1::2'];
/** An address of each range that is closed unless named, and the range. */
const RESERVED: Readonly<Record<string, string>> = {
  '10.9.9.9': '10.0.0.0/8',
  '100.64.9.9': '100.64.0.0/10',
  '168.63.129.16': '168.63.129.16/32',
  '169.254.169.254': '169.254.0.0/16',
  '169.254.170.2': '169.254.0.0/16',
  '172.20.9.9': '172.16.0.0/12',
  '192.0.0.9': '192.0.0.0/24',
  '192.168.99.9': '192.168.0.0/16',
  '198.18.9.9': '198.18.0.0/15',
  'fd00:ec2::254': 'fd00:ec2::/32',
  'fd12:3456::9': 'fd12:3456::/48',
  '64:ff9b::a09:909': '64:ff9b::/96',
  '2002:a09:909::9': '2002::/16',
  '100::9': '100::/64',
  'fec0::9': 'fec0::/10',
};
const GATEWAYS = ['172.31.255.1', '2001:db8:fff0::1'];
const ALL_PORTS = ['1-65535'];
const NETWORK: Network = {
  wide: { remediate: true, egress: [{ to: ['0.0.0.0/0', '::/0'], ports: ALL_PORTS }] },
  named: { remediate: true, egress: [{ to: Object.values(RESERVED), ports: ALL_PORTS }] },
  gateway: { remediate: true, egress: [{ to: GATEWAYS, ports: [80] }] },
};

/** Tries places one after another; those that let a connection in. */
const script = (places: readonly string[]): readonly string[] => {
  const tries = places.map((place) => {
    const [, at = place, port = '80'] = /^(.*)#(\d+)$/.exec(place) ?? [];
    return `nc -w 5 ${at} ${port} </dev/null >/dev/null 2>&1 && echo ${place}`;
  });
  return ['sh', '-c', `${tries.join('; ')}; true`];
};
describe('what is closed unless it is named, with somebody who listens at each of it', () => {
  let engine: OwnEngine;
  let host: TestHost;
  let image: string;
  let flags: readonly string[];
  let peer: string;
  beforeAll(async () => {
    image = await busybox();
    engine = await OwnEngine.start(false, [...PUBLIC, ...Object.keys(RESERVED)]);
    await engine.load(image);
    host = new TestHost({ env: engine.env });
    flags = await policyFlags(host, NETWORK);
    const serve = ['httpd', '-f', '-p', '80'];
    const { stdout } = await engine.docker('run', '-d', image, ...serve);
    peer = (await engine.docker('inspect', '-f', '{{.NetworkSettings.IPAddress}}', stdout)).stdout;
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  const plain = async (places: readonly string[]): Promise<readonly string[]> =>
    (await engine.docker('run', '--rm', image, ...script(places))).stdout.split('\n');
  const under = async (config: string, places: readonly string[]): Promise<readonly string[]> =>
    (await host.sandbox(['run', '-q', '--network-config', config, ...flags, image, ...script(places)])).stdout
      .split('\n')
      .filter((line) => line !== '');

  verifies(['NET-15', 'NET-11', 'NET-22'], 'every reserved range, metadata services, other containers', async () => {
    const places = [...Object.keys(RESERVED), peer];
    expect(await plain([...places, ...PUBLIC])).toEqual([...places, ...PUBLIC]);
    const began = Date.now();
    expect(await under('wide', [...places, ...PUBLIC])).toEqual(PUBLIC);
    // Each is refused, none waited for.
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(await under('named', [...places, ...PUBLIC])).toEqual(places);
    await vi.waitFor(
      async () => {
        const { stdout } = await host.ucpd(['logs', '--json']);
        const refused = stdout.split('\n').filter((line) => line.includes('"network_violation"'));
        for (const place of places) {
          const found = refused.find((line) => line.includes(`"address":"${place}"`)) ?? `nothing of ${place}`;
          expect(found).toContain('"reason":"closed"');
        }
      },
      { timeout: 20_000, interval: 200 },
    );
  });

  verifies(['NET-19', 'NET-20', 'NET-21'], 'the host by its gateway, with an engine that listens there', async () => {
    const places = GATEWAYS.flatMap((at) => [`${at}#80`, `${at}#2375`]);
    expect(await plain(places)).toEqual(places);
    expect(await under('wide', places)).toEqual([]);
    expect(await under('named', places)).toEqual([]);
    expect(await under('gateway', places)).toEqual(GATEWAYS.map((at) => `${at}#80`));
  });
});
