import type { PortRequest } from '../../core/run-request.ts';

/** Ports as a container spec takes them. */
export interface CompiledPorts {
  readonly exposed: Record<string, object>;
  readonly bindings: Record<string, { HostIp: string; HostPort: string }[]>;
}

/** Publishes each port on its own address; host port 0 lets the engine choose one. */
export function compilePorts(ports: readonly PortRequest[]): CompiledPorts {
  const bindings: CompiledPorts['bindings'] = {};
  for (const { address, hostPort, containerPort, protocol } of ports) {
    const key = `${containerPort}/${protocol}`;
    (bindings[key] ??= []).push({ HostIp: address, HostPort: hostPort === 0 ? '' : String(hostPort) });
  }
  return { exposed: Object.fromEntries(Object.keys(bindings).map((key) => [key, {}])), bindings };
}
