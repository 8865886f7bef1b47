import type { JsonObject } from '../../core/json.ts';
import { field } from '../../core/unknown.ts';
import { type Check, ok } from './check.ts';

/** The control plane's own report, judged: who it is, which policy is in force, which controls are not. */
export function policyChecks(report: JsonObject): readonly Check[] {
  const at = (...path: readonly string[]): string => {
    const value = path.reduce<unknown>(field, report);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const policy = `${at('policy', 'id')} version ${at('policy', 'version')} (${at('policy', 'source')})`;
  const error = at('last_check', 'error', 'message');
  return [
    ok('control plane', `ucpd ${at('version')} (${at('mode')}), pid ${at('pid')}`),
    error === ''
      ? ok('policy', `${policy} is in force`)
      : { id: 'policy', state: 'warn', reason: `${policy} is in force, but the last check for another failed: ${error}`, fix: 'See `ucpd status` and `ucpd logs`.' }, // prettier-ignore
    controls(report),
  ];
}

function controls(report: JsonObject): Check {
  const listed = (key: string): readonly string[] => {
    const list = field(field(report, 'controls'), key);
    return Array.isArray(list) ? list.map((entry: unknown) => String(field(entry, 'control') ?? entry)) : [];
  };
  const refused = listed('not_enforced');
  if (refused.length > 0) {
    const fix =
      'Runs are refused while policy asks for these: see `ucpd status`, or accept it with --allow-degraded=NAME.';
    return { id: 'controls', state: 'fail', reason: `cannot be enforced here: ${refused.join(', ')}`, fix };
  }
  const unseen = listed('not_observed');
  if (unseen.length > 0) {
    const fix = 'Events of these are missing: see `ucpd status`.';
    return { id: 'controls', state: 'warn', reason: `not observed here: ${unseen.join(', ')}`, fix };
  }
  return ok('controls', `in force: ${listed('in_force').join(', ') || 'none asked for'}`);
}
