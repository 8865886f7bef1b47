import { UcpError } from '../../core/errors.ts';
import type { RunRequest } from '../../core/run-request.ts';
import { compileOptions, decideOptions } from '../../policy/index.ts';
import type { OptionsContext } from '../../policy/decide/options.ts';
import type { LoadedPolicy } from '../policy/loaded-policy.ts';
import type { DecidedOptions } from './decided.ts';

/**
 * request ∩ policy `options`. Throws OPTIONS_REFUSED with every refusal: the first one's message and pointer, the others
 * in `details.refusals`. Mounts come back with their symbolic links resolved: what was judged is what is mounted.
 */
export function decideRunOptions(
  { policy }: LoadedPolicy,
  request: RunRequest,
  context: OptionsContext,
): DecidedOptions {
  const { refusals, ...decided } = decideOptions(compileOptions(policy), request, context);
  const [first, ...others] = refusals;
  if (first !== undefined) {
    const more = others.map(({ message, rule }) => ({ message, rule: rule ?? '' }));
    throw new UcpError('OPTIONS_REFUSED', [first, ...others].map(({ message }) => message).join(' '), {
      ...(first.rule === undefined ? {} : { pointer: first.rule }),
      ...(more.length === 0 ? {} : { details: { refusals: more } }),
    });
  }
  const mounts = decided.mounts.map((mount) =>
    mount.type === 'bind' ? { ...mount, source: context.realPath(mount.source) } : mount,
  );
  return { ...decided, mounts };
}
