import type { ViolationRef } from '../../core/events.ts';
import type { Mode } from '../schema/inherit.ts';

/** The answer to one question. */
export interface Decision {
  /** False: the caller must not let it happen. */
  readonly allowed: boolean;
  /** JSON pointer of the rule that was broken, in the canonical document; absent when none was. */
  readonly rule?: string;
  readonly mode: Mode['mode'];
  readonly action: ViolationRef['action'];
  readonly violation: boolean;
  /** For a person: what came, which rule spoke, what to do. Empty when nothing was broken. */
  readonly message: string;
  /** For a model: one factual line that invites no second attempt. Empty unless something was refused or changed. */
  readonly modelMessage: string;
}

/** Nothing was broken. */
export function permitted(mode: Mode['mode']): Decision {
  return { allowed: true, mode, action: 'allowed', violation: false, message: '', modelMessage: '' };
}

/** What broke a rule. `what` and `remedy` are sentences; `brief` names the thing in the line for a model. */
export interface Breach {
  readonly rule: string;
  readonly what: string;
  readonly brief: string;
  readonly remedy: string;
}

/** A rule was broken: refused in enforce mode, let through in observe mode. */
export function violated(mode: Mode['mode'], breach: Breach): Decision {
  const enforced = mode === 'enforce';
  return {
    allowed: !enforced,
    rule: breach.rule,
    mode,
    action: enforced ? 'blocked' : 'allowed',
    violation: true,
    message: `${breach.what} ${enforced ? 'Blocked' : 'Would be blocked'} by ${breach.rule}. ${breach.remedy}`,
    modelMessage: enforced
      ? `Operator policy does not permit ${breach.brief}. Do not retry it and do not work around it; report this to the user.`
      : '',
  };
}

/** JSON pointer (RFC 6901) of `segments`. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A name in a message: quoted, control characters visible, cut when it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
