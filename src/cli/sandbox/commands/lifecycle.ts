import { toUcpError, UcpError } from '../../../core/errors.ts';
import type { SecretValues } from '../../../core/secrets.ts';
import { type FoundSandbox, findSandbox, type Session } from './session.ts';

const GOING: ReadonlySet<string> = new Set(['preparing', 'created', 'waiting', 'running']);

/** `stop`: the stop signal, the grace, KILL; each name that is done is printed. */
export async function stop(
  session: Session,
  names: readonly string[],
  options: { readonly grace?: number },
): Promise<void> {
  await each(session, names, async ({ sandboxId }) => {
    const grace = options.grace === undefined ? {} : { grace: options.grace };
    await session.client.call('stop', { sandbox: sandboxId, ...grace });
  });
}

/** `rm`: removes sandboxes that have ended, with `force` also those that run. */
export async function rm(
  session: Session,
  names: readonly string[],
  options: { readonly force: boolean },
): Promise<void> {
  await each(session, names, async ({ sandboxId, name, state }) => {
    if (!options.force && GOING.has(state)) {
      throw new UcpError('SANDBOX_RUNNING', `The sandbox ${name} is ${state}: stop it first, or use --force.`);
    }
    await session.client.call('stop', { sandbox: sandboxId, grace: 0, remove: true });
    await session.client.call('settled', { name });
  });
}

/** `start`: starts a detached sandbox again; policy is put in force anew before its workload runs. */
export async function start(session: Session, names: readonly string[]): Promise<void> {
  await each(session, names, async (sandbox) => {
    const secrets = await secretsOf(session, sandbox);
    await session.client.call('start', { sandbox: sandbox.sandboxId, restart: false, ...secrets });
  });
}

/**
 * `restart`: stop, then start under the policy of now, which is asked before anything is stopped. With `all` every
 * detached sandbox that runs; one that fails keeps none of the others from it.
 */
export async function restart(
  session: Session,
  names: readonly string[],
  options: { readonly grace?: number; readonly all?: boolean },
): Promise<void> {
  if (options.all === true ? names.length > 0 : names.length === 0) {
    throw new UcpError('USAGE', 'Expected names of sandboxes, or --all instead.');
  }
  const grace = options.grace === undefined ? {} : { grace: options.grace };
  const chosen = options.all === true ? await restartable(session) : names;
  await each(session, chosen, async (sandbox) => {
    const secrets = await secretsOf(session, sandbox);
    await session.client.call('start', { sandbox: sandbox.sandboxId, restart: true, ...grace, ...secrets });
  });
}

/**
 * The secrets of a sandbox, where this user has all of them here: the control plane may not know them any more, or
 * know those of before. Else what it has is used.
 */
async function secretsOf({ host }: Session, { secrets }: FoundSandbox): Promise<{ readonly secrets?: SecretValues }> {
  if (secrets === undefined) return {};
  const { readSecrets, travelling } = await import('../../../sandbox/secrets/read-secrets.ts');
  try {
    return { secrets: travelling(await readSecrets(secrets, host)) };
  } catch (thrown) {
    if (toUcpError(thrown).code === 'SECRET_NOT_FOUND') return {};
    throw thrown;
  }
}

async function restartable({ client }: Session): Promise<readonly string[]> {
  const { sandboxes } = await client.call('list', { all: false });
  return sandboxes
    .filter(({ mode, restartable: kept }) => mode === 'detached' && kept)
    .map(({ sandboxId }) => sandboxId);
}

/** Acts on each, prints those that are done, and then throws the first failure; the others are in its message. */
async function each(
  session: Session,
  names: readonly string[],
  act: (sandbox: FoundSandbox) => Promise<void>,
): Promise<void> {
  const done: string[] = [];
  const failed: UcpError[] = [];
  for (const wanted of names) {
    try {
      const sandbox = await findSandbox(session, wanted);
      await act(sandbox);
      done.push(sandbox.name);
    } catch (thrown) {
      failed.push(toUcpError(thrown));
    }
  }
  if (done.length > 0 || failed.length === 0) session.output.answer(done, () => done.join('\n'));
  const [first, ...others] = failed;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const more = others.map(({ message }) => message).join(' ');
  throw new UcpError(first.code, `${first.message} And ${others.length} more: ${more}`, { cause: first });
}
