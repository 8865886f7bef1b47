import type { HelperTrial } from '../../core/protocol.ts';
import { type Check, ok } from './check.ts';

/** How the helpers did when they were tried: what fails in the way that is used here fails, in the other it is a warning. */
export function helperChecks(helpers: readonly HelperTrial[]): readonly Check[] {
  return helpers.map(({ program, mode, used, works, error }): Check => {
    const id = `${program} as ${mode === 'child' ? 'process' : 'container'}`;
    if (error !== undefined) {
      const state = used ? 'fail' : 'warn';
      const fix = used
        ? 'Runs that need it are refused: see the message, `ucpd logs`, and docs/platforms.md.'
        : 'It is not used this way here; see the message if you want to.';
      return { id, state, reason: `${error.code}: ${error.message}`, fix };
    }
    if (works === undefined) {
      return { id, state: 'skip', reason: 'the control plane has not the rights; it runs as container' };
    }
    return ok(id, `${works}${used ? '' : ' (not used this way here)'}`);
  });
}
