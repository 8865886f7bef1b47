/**
 * Tells of outbound connections: everything that ends in `net.Socket.prototype.connect` (net, tls, http, fetch).
 * Since: all supported Nodes.
 * Can't see: UDP, connections made by addons, requests on a connection that is kept open (one event for many).
 */
import type { JsonObject } from '../../../../src/core/json.ts';
import { builtin } from '../load/builtin.ts';
import type { Sensor } from '../sensor.ts';
import { guarded, wrap } from '../wrap.ts';

/** Where a call of `connect` goes. */
interface Destination {
  readonly path?: string;
  readonly host?: string;
  readonly port?: number | string;
}

/** The forms that `connect` takes: options, path, port and host, and Node's own normalised array of these. */
export function destinationOf(args: readonly unknown[]): Destination {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as readonly unknown[]) : args;
  if (typeof first === 'object' && first !== null) return first;
  if (typeof first === 'number' || /^\d+$/.test(String(first))) {
    return { port: Number(first), host: typeof second === 'string' ? second : 'localhost' };
  }
  return { path: String(first) };
}

/** `own`: the socket of the control plane, which is nobody's event. */
export function installNetwork(sensor: Sensor, own: string | undefined): void {
  const net = builtin('node:net') as typeof import('node:net');
  wrap(
    net.Socket.prototype,
    'connect',
    (connect) =>
      function (this: unknown, ...args: unknown[]) {
        if (sensor.settings().runtime.network) {
          guarded(
            (error) => sensor.report('network', error),
            () => tell(sensor, destinationOf(args), own),
          );
        }
        return connect.apply(this, args);
      },
  );
}

function tell(sensor: Sensor, to: Destination, own: string | undefined): void {
  if (to.path !== undefined && to.path !== null && to.path === own) return;
  const where: JsonObject =
    typeof to.path === 'string'
      ? { 'network.transport': 'unix', 'server.address': to.path }
      : { 'network.transport': 'tcp', 'server.address': to.host ?? 'localhost', 'server.port': Number(to.port) };
  sensor.events.emit({
    name: 'network_connect',
    domain: 'runtime',
    body: {},
    attributes: { ...where, ...sensor.attribution.attributes() },
  });
}
