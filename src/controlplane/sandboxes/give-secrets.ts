import { UcpError } from '../../core/errors.ts';
import type { SandboxContext } from './context.ts';
import type { InitSession } from './init-endpoint.ts';
import type { Sandbox } from './sandbox.ts';

/** Gives a start its secrets, before its workload is let go. Throws SECRETS_MISSING, SECRET_UNDELIVERED. */
export async function giveSecrets(sandbox: Sandbox, session: InitSession, { vault }: SandboxContext): Promise<void> {
  const { name, request } = sandbox.record;
  for (const [secret, value] of vault.of(sandbox.id, name, request.secrets ?? [])) {
    const errno = await session.give(secret, value);
    if (errno === 0) continue;
    const target = secret.env ?? secret.file ?? '';
    throw new UcpError(
      'SECRET_UNDELIVERED',
      `The secret ${secret.name} could not be put into ${target} of ${name} (errno ${errno}): choose another place with env=VARIABLE or file=PATH.`,
    );
  }
}
