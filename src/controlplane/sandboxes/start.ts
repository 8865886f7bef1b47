import { toErrorRecord, toUcpError, UcpError } from '../../core/errors.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { SandboxContext } from './context.ts';
import { wantedControls } from './control.ts';
import { giveSecrets } from './give-secrets.ts';
import type { InitSession } from './init-endpoint.ts';
import { Latch } from './latch.ts';
import type { Sandbox } from './sandbox.ts';
import { tellPolicy } from './tell-policy.ts';
import { startedEvent, startRefusedEvent } from './sandbox-events.ts';

/**
 * One start of a sandbox, whoever caused it: the policy in force now reaches the sensors' file, every control is
 * applied, and only then init may go. Any failure keeps the workload from running. Never rejects.
 */
export async function startSandbox(sandbox: Sandbox, session: InitSession, context: SandboxContext): Promise<void> {
  const first = !sandbox.hasStarted;
  sandbox.died = new Latch();
  sandbox.state = 'waiting';
  sandbox.exitCode = undefined;
  try {
    assertWanted(sandbox, session);
    await sandbox.policyWritten;
    if (!first || sandbox.record.request.policyFile === undefined) await renewPolicy(sandbox, context);
    await applyControls(sandbox, context, session);
    if (first) await sizeTerminal(sandbox, context);
    await giveSecrets(sandbox, session, context);
    assertWanted(sandbox, session);
    // Before `go`: a start is reported even when the workload's first act brings everything down.
    context.events.emit(startedEvent(sandbox, namesInForce(sandbox, context)));
    sandbox.hasStarted = true;
    sandbox.state = 'running';
    // First the gateway: no byte of the workload may pass before.
    tellPolicy(sandbox, context);
    session.go(first ? sandbox.marker : undefined);
    sandbox.holder?.notify({ event: 'started', sandboxId: sandbox.id });
    sandbox.decided.set();
  } catch (thrown) {
    refuse(sandbox, session, context, toUcpError(thrown));
  }
}

function namesInForce({ id, record }: Sandbox, { controls }: SandboxContext): readonly string[] {
  return wantedControls(record, controls)
    .filter((control) => control.inForce?.(id) ?? true)
    .map(({ name }) => name);
}

function assertWanted(sandbox: Sandbox, session: InitSession): void {
  if (sandbox.ending || sandbox.removal !== undefined) {
    throw new UcpError('LEASE_LOST', 'The sandbox is being removed, the workload is not started.');
  }
  if (!session.open) throw new UcpError('LEASE_LOST', 'The container ended before its workload was let go.');
}

/** Also at a first start: the policy may have changed since the sandbox was prepared. */
async function renewPolicy(sandbox: Sandbox, context: SandboxContext): Promise<void> {
  const policy = await context.policyFor(sandbox.record);
  context.permit(sandbox.record, policy);
  if (policy.ref.generation === sandbox.policy?.ref.generation) return;
  context.writeSensorPolicy(sandbox.id, policy);
  sandbox.policy = policy;
}

/** Pauses between attempts to bring the policy to a sandbox that runs, ms; the last one repeats. */
const AGAIN = [200, 500, 1_000, 5_000];

/**
 * Brings the policy in force to a sandbox whose workload runs since before this control plane, however often that takes:
 * a helper may be lost in just this moment. Each failure is reported and changes nothing: the sandbox goes on with what
 * it has. Never rejects; resolves when the policy is in force, another one was put in force, or the sandbox has ended.
 */
export async function reinforce(sandbox: Sandbox, context: SandboxContext): Promise<void> {
  let brought: LoadedPolicy | undefined;
  for (let attempt = 0; sandbox.alive && sandbox.policy === brought; attempt += 1) {
    try {
      const policy = await context.policyFor(sandbox.record);
      if (!sandbox.alive || sandbox.policy !== brought) return;
      context.writeSensorPolicy(sandbox.id, policy);
      sandbox.policy = brought = policy;
      tellPolicy(sandbox, context);
      await applyControls(sandbox, context);
      return;
    } catch (thrown) {
      const { message } = toUcpError(thrown);
      context.logger.error('a running sandbox did not get the policy in force', {
        sandbox: sandbox.id,
        cause: message,
      });
    }
    await new Promise<void>(
      (resolve) => void context.clock.after(AGAIN[Math.min(attempt, AGAIN.length - 1)] ?? 0, resolve),
    );
  }
}

async function applyControls(sandbox: Sandbox, context: SandboxContext, session?: InitSession): Promise<void> {
  const { policy, record, containerId } = sandbox;
  if (policy === undefined) throw new UcpError('INTERNAL', 'A sandbox is being started without a policy.');
  const tryExec = session === undefined ? {} : { tryExec: (path: string) => session.tryExec(path) };
  for (const control of wantedControls(record, context.controls)) {
    try {
      await control.apply({ record, containerId, policy, ...tryExec });
    } catch (cause) {
      const { code, message } = toUcpError(cause);
      const words = `The control ${control.name} could not be put in force: ${message} (${code})`;
      throw new UcpError('CONTROL_FAILED', words, { cause });
    }
  }
}

/** A wrong size is a blemish, not a reason to keep the workload from running. */
async function sizeTerminal({ containerId, terminal, record }: Sandbox, context: SandboxContext): Promise<void> {
  if (containerId === undefined || terminal === undefined) return;
  await context.engine.resize(containerId, terminal).catch((error: unknown) => {
    context.logger.warn('the terminal could not be sized', { sandbox: record.name, error: String(error) });
  });
}

function refuse(sandbox: Sandbox, session: InitSession, context: SandboxContext, error: UcpError): void {
  const record = toErrorRecord(error);
  sandbox.state = 'exited';
  sandbox.exitCode = 125;
  sandbox.refusal = record;
  sandbox.decided.set();
  session.refuse(error.message);
  context.events.emit(startRefusedEvent(sandbox, record));
  context.logger.warn('a workload was not started', { sandbox: sandbox.record.name, ...record });
  sandbox.holder?.notify({ event: 'refused', sandboxId: sandbox.id, error: record });
}
