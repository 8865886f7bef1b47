import type { ContainerInspectInfo } from 'dockerode';

import type { ContainerNetwork } from './engine.ts';

/** The engine's networks that have no embedded resolver. */
const WITHOUT_RESOLVER: ReadonlySet<string> = new Set(['bridge', 'host', 'none', 'default']);

/** The engine's own networks are always there, and are joined by name. */
export function userDefined(network: string): boolean {
  return !WITHOUT_RESOLVER.has(network);
}

/** What the engine's answer to an inspection says about a container's network. */
export function containerNetwork(info: ContainerInspectInfo): ContainerNetwork {
  const networks = Object.entries(info.NetworkSettings.Networks ?? {}).map(([name, network]) => ({ ...network, name }));
  const texts = (pick: (network: (typeof networks)[number]) => string | undefined): readonly string[] =>
    networks.flatMap((network) => pick(network) ?? []).filter((text) => text !== '');
  return {
    pid: info.State.Pid,
    addresses: texts(({ IPAddress }) => IPAddress).concat(texts(({ GlobalIPv6Address }) => GlobalIPv6Address)),
    gateways: texts(({ Gateway }) => Gateway).concat(texts(({ IPv6Gateway }) => IPv6Gateway)),
    subnets: texts(({ IPAddress, IPPrefixLen }) => subnet(IPAddress, IPPrefixLen)).concat(
      texts(({ GlobalIPv6Address, GlobalIPv6PrefixLen }) => subnet(GlobalIPv6Address, GlobalIPv6PrefixLen)),
    ),
    servers: info.HostConfig.Dns ?? [],
    embeddedResolver: networks.some(({ name }) => userDefined(name)),
    ports: publishedPorts(info.NetworkSettings.Ports ?? {}),
  };
}

/** An address with its prefix, host bits and all. */
function subnet(address: string | undefined, prefix: number | undefined): string | undefined {
  return address === undefined || address === '' || prefix === undefined ? undefined : `${address}/${prefix}`;
}

function publishedPorts(
  ports: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>>,
): ContainerNetwork['ports'] {
  return Object.entries(ports).flatMap(([key, bindings]) => {
    const [port, protocol] = key.split('/');
    return (bindings ?? []).map(({ HostIp, HostPort }) => ({
      address: HostIp,
      hostPort: Number(HostPort),
      containerPort: Number(port),
      protocol: protocol === 'udp' ? ('udp' as const) : ('tcp' as const),
    }));
  });
}
