import { toUcpError } from '../../core/errors.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { compileSensorPolicy } from '../../policy/index.ts';
import { wantedControls } from '../sandboxes/control.ts';
import type { SandboxContext } from '../sandboxes/context.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import { tellPolicy } from '../sandboxes/tell-policy.ts';
import type { LoadedPolicy } from './loaded-policy.ts';

/** Compiled files kept: the host's policy, and those that recent runs named. */
const KEPT = 8;

/** Compiles the sensors' file of a policy once for all sandboxes that get it. Throws what the compilers throw. */
export function sensorPolicyCompiler(): (policy: LoadedPolicy) => SensorPolicyFile {
  const compiled = new Map<string, SensorPolicyFile>();
  return ({ policy, ref }) => {
    const key = `${ref.generation} ${ref.digest}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const file = compileSensorPolicy(policy, ref);
    const oldest = compiled.keys().next().value;
    if (compiled.size >= KEPT && oldest !== undefined) compiled.delete(oldest);
    compiled.set(key, file);
    return file;
  };
}

/**
 * Brings the host's new policy to every running sandbox that follows it, to all or to none: where one of them can't take
 * it, those that did get the old one back and the reason is thrown. `last` is done when all have it, and may refuse too.
 */
export async function applyToSandboxes(
  policy: LoadedPolicy,
  context: SandboxContext,
  last: () => void = () => undefined,
): Promise<void> {
  const changed: { sandbox: Sandbox; before: LoadedPolicy | undefined }[] = [];
  try {
    for (const sandbox of context.registry.all().filter(followsHost)) {
      changed.push({ sandbox, before: sandbox.policy });
      await enforce(sandbox, policy, context);
    }
    last();
  } catch (thrown) {
    for (const { sandbox, before } of changed) if (before !== undefined) await restore(sandbox, before, context);
    throw thrown;
  }
}

function followsHost({ alive, record, removal }: Sandbox): boolean {
  return alive && removal === undefined && record.request.policyFile === undefined;
}

async function enforce(sandbox: Sandbox, policy: LoadedPolicy, context: SandboxContext): Promise<void> {
  context.writeSensorPolicy(sandbox.id, policy);
  sandbox.policy = policy;
  tellPolicy(sandbox, context);
  const { record, containerId } = sandbox;
  for (const control of wantedControls(record, context.controls)) {
    await control.apply({ record, containerId, policy });
  }
}

async function restore(sandbox: Sandbox, before: LoadedPolicy, context: SandboxContext): Promise<void> {
  try {
    await enforce(sandbox, before, context);
  } catch (thrown) {
    // Half changed is still protected: each control keeps what it had last; that is reported, not hidden.
    context.logger.error('a sandbox could not get its policy back', {
      sandbox: sandbox.id,
      cause: toUcpError(thrown).message,
    });
  }
}
