import { toUcpError } from '../core/errors.ts';
import { adoptSandboxes } from './sandboxes/adopt.ts';
import type { SandboxContext } from './sandboxes/context.ts';
import type { Sandboxes } from './sandboxes/sandboxes.ts';

/** Pause before the engine is asked again for what we left there, ms. */
const RETRY = 5_000;

/**
 * Takes back the sandboxes of an earlier control plane. Resolves when that is done, or at once where there can be none;
 * with an engine that doesn't answer it resolves too and goes on trying: `list` must not wait for an engine.
 */
export async function startAdoption(context: SandboxContext, sandboxes: Sandboxes): Promise<void> {
  // Every sandbox has a directory before it has a container: none here means that nothing can be ours.
  const adopted = attempt(context, sandboxes);
  if (context.dirs.ids().length > 0) await adopted;
}

async function attempt(context: SandboxContext, sandboxes: Sandboxes): Promise<void> {
  try {
    await adoptSandboxes(context, sandboxes);
  } catch (thrown) {
    context.logger.warn('the engine does not say what is left', { cause: toUcpError(thrown).message });
    context.clock.after(RETRY, () => void attempt(context, sandboxes));
  }
}
