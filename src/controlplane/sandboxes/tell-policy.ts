import type { SandboxContext } from './context.ts';
import type { Sandbox } from './sandbox.ts';

/** Tells the front end of a run with `--mcp` which policy its gateway has to put in force; others need not know. */
export function tellPolicy(sandbox: Sandbox, context: Pick<SandboxContext, 'sensorPolicy'>): void {
  const { policy, holder, record } = sandbox;
  if (record.request.mcp === undefined || policy === undefined) return;
  const file = policy.policy.gateway === undefined ? null : context.sensorPolicy(policy);
  holder?.notify({ event: 'policy', sandboxId: sandbox.id, file });
}
