import type { PreparedRun, RunDeps } from './prepare.ts';

/** Says where the published ports of a started sandbox are reachable; the engine chose some of them. Never rejects. */
export async function tellPorts(deps: RunDeps, { request }: PreparedRun, containerId: string): Promise<void> {
  if (request.ports.length === 0) return;
  const network = await deps.engine.network(containerId).catch(() => undefined);
  for (const { address, hostPort, containerPort, protocol } of network?.ports ?? []) {
    const host = address.includes(':') ? `[${address}]` : address;
    deps.say(`port ${containerPort}/${protocol} is reachable at ${host}:${hostPort}`);
  }
}
