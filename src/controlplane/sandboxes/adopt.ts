import { toUcpError } from '../../core/errors.ts';
import { LABEL } from '../../core/labels.ts';
import type { LeaseHolder } from '../../core/protocol.ts';
import type { ContainerFacts } from '../../engine/engine.ts';
import { isRunning } from '../helper/process-identity.ts';
import type { SandboxContext } from './context.ts';
import { Latch } from './latch.ts';
import { Sandbox } from './sandbox.ts';
import type { Sandboxes } from './sandboxes.ts';
import { reinforce } from './start.ts';

/** How long a living front end may take to find its way back, ms. */
const REATTACH = 10_000;

/** Tells whether the process that held a lease still lives. */
export type IsAlive = (holder: LeaseHolder) => boolean;

/**
 * Takes back what an earlier control plane of this state directory left: sockets of living sandboxes are bound again in
 * their directories, attached ones without a living front end are removed, and so is whatever is half made.
 */
export async function adoptSandboxes(
  context: SandboxContext,
  sandboxes: Sandboxes,
  isAlive: IsAlive = isRunning,
): Promise<void> {
  const { engine, dirs, owner, logger } = context;
  const containers = await engine.list([`${LABEL.owner}=${owner}`]);
  const known = new Set<string>();
  for (const container of containers) {
    // Helpers are taken back by whoever needs them.
    if (container.labels[LABEL.helper] !== undefined) continue;
    const id = container.labels[LABEL.sandbox] ?? '';
    known.add(id);
    try {
      await adopt(id, container, context, sandboxes, isAlive);
    } catch (thrown) {
      logger.warn('a sandbox could not be taken back', { sandbox: id, cause: toUcpError(thrown).message });
    }
  }
  for (const id of dirs.ids()) if (!known.has(id) && context.registry.byId(id) === undefined) dirs.remove(id);
}

async function adopt(
  id: string,
  container: ContainerFacts,
  context: SandboxContext,
  sandboxes: Sandboxes,
  isAlive: IsAlive,
): Promise<void> {
  const record = context.dirs.readRecord(id);
  if (record === undefined || container.state === 'removing') {
    // Without its record nobody knows under what policy it may start.
    await context.engine.remove(container.id);
    context.dirs.remove(id);
    return;
  }
  const sandbox = new Sandbox(record);
  sandbox.containerId = container.id;
  const runs = container.state === 'running' || container.state === 'paused';
  sandbox.state = runs ? 'running' : 'exited';
  sandbox.hasStarted = container.state !== 'created';
  if (runs) sandbox.died = new Latch();
  else if (sandbox.hasStarted) sandbox.exitCode = container.exitCode;
  context.registry.add(sandbox);
  await sandboxes.listen(sandbox);
  // Not waited for: the policy may come from a source that is slow to answer.
  if (runs) void reinforce(sandbox, context);
  if (container.state === 'created') void sandboxes.endings.remove(sandbox);
  else if (sandbox.attached) awaitHolder(sandbox, context, sandboxes, isAlive);
}

function awaitHolder(sandbox: Sandbox, context: SandboxContext, sandboxes: Sandboxes, isAlive: IsAlive): void {
  const lost = (): void => {
    if (sandbox.holder === undefined) sandboxes.endings.holderLost(sandbox);
  };
  if (isAlive(sandbox.record.lease)) context.clock.after(REATTACH, lost);
  else lost();
}
