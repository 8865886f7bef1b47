import { UcpError } from '../core/errors.ts';
import { type Connection, isNotFound } from './connection.ts';
import { userDefined } from './network.ts';

/** A container's place in one network, as the engine says it and as it takes it back. */
interface Membership {
  readonly NetworkID?: string;
  readonly IPAMConfig?: object | null;
  readonly Links?: unknown;
  readonly Aliases?: readonly string[] | null;
  readonly DriverOpts?: Readonly<Record<string, string>> | null;
}

/**
 * Looks whether the networks of a container, and the one that it was made with, are there. The engine knows a network
 * by its number and so starts no container again in one that was deleted and made anew: what this resolves with puts
 * the container, which is stopped by then, into those. Rejects with NETWORK_NOT_FOUND, having changed nothing.
 */
export async function rejoinNetworks(
  connection: Connection,
  container: string,
  madeWith: string | undefined,
): Promise<() => Promise<void>> {
  const { Id, Name, NetworkSettings } = await connection.do({ doing: 'inspect the container', container }, (docker) =>
    docker.getContainer(container).inspect(),
  );
  const members: Readonly<Record<string, Membership>> = NetworkSettings.Networks ?? {};
  const ids = new Set(Object.values(members).map(({ NetworkID }) => NetworkID));
  const wanted: Record<string, Membership> = { ...members };
  if (madeWith !== undefined && userDefined(madeWith)) {
    const id = await networkId(connection, madeWith);
    if (id === undefined) throw missing(madeWith, Name.slice(1));
    // It may have been named by its number.
    if (!ids.has(id) && members[madeWith] === undefined) wanted[madeWith] = {};
  }
  const stale: (readonly [string, Membership])[] = [];
  for (const [name, member] of Object.entries(wanted)) {
    if (!userDefined(name)) continue;
    if (member.NetworkID !== undefined && (await networkId(connection, member.NetworkID)) !== undefined) continue;
    if ((await networkId(connection, name)) === undefined) throw missing(name, Name.slice(1));
    stale.push([name, member]);
  }
  return async () => {
    for (const [name, member] of stale)
      await rejoin(connection, { id: Id, was: members[name] !== undefined }, name, member);
  };
}

async function rejoin(
  connection: Connection,
  { id, was }: { readonly id: string; readonly was: boolean },
  name: string,
  { IPAMConfig, Links, Aliases, DriverOpts }: Membership,
): Promise<void> {
  // Its own number is an alias that the engine adds.
  const aliases = (Aliases ?? []).filter((alias) => !id.startsWith(alias));
  const given = Object.entries({ IPAMConfig, Links, Aliases: aliases, DriverOpts }).filter(
    ([, value]) => value !== null,
  );
  await connection.do({ doing: `put the container into the network ${name} again`, container: id }, async (docker) => {
    const network = docker.getNetwork(name);
    if (was) await network.disconnect({ Container: id, Force: true });
    await network.connect({ Container: id, EndpointConfig: Object.fromEntries(given) });
  });
}

/** The number of a network, asked for by number or name; undefined where there is none. */
async function networkId(connection: Connection, word: string): Promise<string | undefined> {
  try {
    const { Id } = await connection.do({ doing: 'inspect the network' }, (docker) => docker.getNetwork(word).inspect());
    return Id;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

function missing(network: string, container: string): UcpError {
  return new UcpError(
    'NETWORK_NOT_FOUND',
    `The network ${network} of ${container} is gone: make it again with \`docker network create ${network}\`, or remove the sandbox and run it in another one. The sandbox was left as it is.`,
  );
}
