import { UcpError } from '../../../core/errors.ts';
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
  await each(session, names, async ({ containerId, name, state, mode }) => {
    if (mode === 'attached') {
      throw new UcpError('USAGE', `The sandbox ${name} is a foreground one: it cannot be started again.`);
    }
    if (GOING.has(state)) return;
    await session.engine.start(containerId);
  });
}

/** `restart`: stop, then start. */
export async function restart(
  session: Session,
  names: readonly string[],
  options: { readonly grace?: number },
): Promise<void> {
  const grace = options.grace === undefined ? {} : { grace: options.grace };
  await each(session, names, async ({ sandboxId, containerId }) => {
    await session.client.call('stop', { sandbox: sandboxId, ...grace });
    await session.engine.start(containerId);
  });
}

async function each(
  session: Session,
  names: readonly string[],
  act: (sandbox: FoundSandbox) => Promise<void>,
): Promise<void> {
  const done: string[] = [];
  for (const wanted of names) {
    const sandbox = await findSandbox(session, wanted);
    await act(sandbox);
    done.push(sandbox.name);
  }
  session.output.answer(done, () => done.join('\n'));
}
