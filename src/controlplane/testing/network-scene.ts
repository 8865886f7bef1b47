import type { ContainerNetwork } from '../../engine/engine.ts';
import type { NameAnswer, NameQuery } from '../../net/dns-port.ts';
import type { NetworkConfig } from '../../policy/index.ts';

/** A sandbox on the engine's own bridge. */
export const NETWORK: ContainerNetwork = {
  pid: 7,
  addresses: ['172.17.0.2'],
  gateways: ['172.17.0.1'],
  subnets: ['172.17.0.2/16'],
  servers: [],
  embeddedResolver: false,
  ports: [],
};

/** One name and one address. */
export const WEB: NetworkConfig = {
  remediate: true,
  egress: [{ to: ['api.example.com', '93.184.216.34'], ports: [443] }],
};

/** A name that its only rule lets out to, at 198.51.100.7. */
export function found({ rules }: NameQuery): NameAnswer {
  const learnt = [
    { address: '198.51.100.7', ttlSeconds: 100, leastSeconds: 50, rules: rules.rulesFor('api.example.com') },
  ];
  return { packet: Uint8Array.of(2), learnt, name: 'api.example.com', type: 'A' };
}

/** A question as the helper tells of it. */
export const QUESTION = { event: 'dns_query', sandbox: 's1', query: 4, transport: 'udp', packet: 'AAAA' };
