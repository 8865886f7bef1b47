import { isUserHook } from '../../core/env-hooks.ts';
import { quoted } from './decision.ts';
import type { Judge } from './options-judge.ts';
import type { CompiledOptions } from './options.ts';

/** Judges the variables that a user sets; all that are not refused reach the workload. */
export function decideEnv(options: CompiledOptions, env: Readonly<Record<string, string>>, judge: Judge): void {
  for (const [name, value] of Object.entries(env)) {
    const brief = `the environment variable ${quoted(name)}`;
    if (name.startsWith('UCP_')) {
      judge.refuse('/options/env', {
        what: `${quoted(name)} is one of UCP's own variables.`,
        brief,
        remedy: 'Choose another name.',
      });
      continue;
    }
    if (isUserHook(name, value) && !options.allowInjection) {
      judge.refuse('/options/env/allow_injection', {
        what: `${quoted(name)} makes programs load code that their command lines do not name.`,
        brief,
        remedy: 'Set options.env.allow_injection in the policy to permit it.',
      });
      continue;
    }
    const denied = options.env.deny?.find(name) ?? -1;
    if (denied >= 0) {
      judge.break(`/options/env/deny_list/${denied}`, {
        what: `The variable ${quoted(name)} is denied.`,
        brief,
        remedy: 'Do not pass it, or take it out of the deny_list.',
      });
    } else if (options.env.allow !== undefined && options.env.allow.find(name) < 0) {
      judge.break('/options/env/allow_list', {
        what: `The variable ${quoted(name)} is not in the allow_list.`,
        brief,
        remedy: 'Do not pass it, or add it to the allow_list.',
      });
    }
  }
}
