import { toUcpError, type UcpError } from '../../core/errors.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { Report } from '../gateway/events.ts';
import { abandon, type PreparedRun, type RunDeps } from './prepare.ts';

/** The gateway before a run's server that speaks HTTP. */
export interface HttpDoors {
  update(file: SensorPolicyFile | null): void;
  /** The workload of this container runs. */
  reach(container: string): void;
  close(): Promise<void>;
}

/**
 * Listens for the clients of a run with `--mcp http`, before anything of it exists: undefined for other runs. `fail` is
 * told what ends the run. Rejects with PORT_IN_USE, GATEWAY_ADDRESS; the plan is then given up.
 */
export async function openHttp(
  deps: RunDeps,
  { request, client, plan }: PreparedRun,
  { report, fail }: { readonly report: Report; readonly fail: (error: UcpError) => void },
): Promise<HttpDoors | undefined> {
  const { mcp } = request;
  if (typeof mcp !== 'object') return undefined;
  const { openDoors, reachServer } = await import('../gateway/http/front.ts');
  const { gateway, addresses } = await openDoors(mcp, report).catch(async (thrown: unknown) => {
    await abandon(client, plan, toUcpError(thrown));
    throw thrown;
  });
  for (const address of addresses) deps.say(`MCP over HTTP at ${address}, port ${mcp.port} of the sandbox`);
  let reached = false;
  return {
    update: (file) => {
      try {
        gateway.update(file);
      } catch (thrown) {
        if (!reached) return fail(toUcpError(thrown));
        deps.say(`warning: the gateway keeps its last policy: ${toUcpError(thrown).message}`);
      }
    },
    reach: (container) => {
      if (reached) return;
      reached = true;
      reachServer(gateway, deps.engine, container, mcp.port).catch((thrown: unknown) => fail(toUcpError(thrown)));
    },
    close: () => gateway.close(),
  };
}
