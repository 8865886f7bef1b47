import { fromErrorRecord, UcpError } from '../../core/errors.ts';
import { launch } from './launch.ts';
import type { PreparedRun, RunDeps } from './prepare.ts';
import { tellPorts } from './tell-ports.ts';

/**
 * Starts a detached sandbox. Resolves with the container's id once policy is in force and the workload was let go;
 * rejects when it was refused. From then on it belongs to the control plane.
 */
export async function runDetached(deps: RunDeps, run: PreparedRun): Promise<string> {
  const { client, plan } = run;
  const letGo = new Promise<void>((resolve, reject) => {
    client.listen((notification) => {
      if (notification.sandboxId !== plan.sandboxId) return;
      if (notification.event === 'refused') reject(fromErrorRecord(notification.error));
      else if (notification.event === 'started' || notification.event === 'exited') resolve();
    });
    void client.closed.then(() =>
      reject(
        new UcpError('CONTROLPLANE_UNREACHABLE', 'The control plane ended while the sandbox started: see `ucpd logs`.'),
      ),
    );
  });
  // Its rejection is awaited below; until then a failed launch is what counts.
  letGo.catch(() => undefined);
  const containerId = await launch(deps, run, () => undefined);
  await letGo;
  deps.timings.mark('workload let go');
  await tellPorts(deps, run, containerId);
  client.close();
  return containerId;
}
