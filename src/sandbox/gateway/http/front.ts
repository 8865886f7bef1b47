import { UcpError } from '../../../core/errors.ts';
import type { McpHttp } from '../../../core/run-request.ts';
import { field } from '../../../core/unknown.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Report } from '../events.ts';
import { HttpGateway } from './http-gateway.ts';

/** A gateway that listens at every door of a run; `addresses` are those that clients use. Rejects with PORT_IN_USE, GATEWAY_ADDRESS. */
export async function openDoors(
  mcp: McpHttp,
  report: Report,
): Promise<{ readonly gateway: HttpGateway; readonly addresses: readonly string[] }> {
  const gateway = new HttpGateway(report, mcp.token);
  try {
    const addresses: string[] = [];
    for (const door of mcp.doors) addresses.push(urlOf(door.address, await gateway.listen(door)));
    return { gateway, addresses };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/** Shows the gateway the server of a container that runs. Rejects with GATEWAY_ADDRESS when it has no address. */
export async function reachServer(
  gateway: HttpGateway,
  engine: Pick<Engine, 'inspectRaw'>,
  container: string,
  port: number,
): Promise<void> {
  const host = addressOf(await engine.inspectRaw(container));
  if (host === undefined) {
    throw new UcpError(
      'GATEWAY_ADDRESS',
      "The sandbox has no address that the gateway can reach: it needs a network of the engine's.",
    );
  }
  gateway.serve({ host, port });
}

/** A container's address on the first of its networks that gave it one. */
function addressOf(inspected: unknown): string | undefined {
  const networks = field(field(inspected, 'NetworkSettings'), 'Networks');
  const all: readonly unknown[] = typeof networks === 'object' && networks !== null ? Object.values(networks) : [];
  const addresses = all.flatMap((network) => [field(network, 'IPAddress'), field(network, 'GlobalIPv6Address')]);
  return addresses.find((address): address is string => typeof address === 'string' && address !== '');
}

const urlOf = (address: string, port: number): string =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
