import type { Decision } from '../../../policy/index.ts';

/**
 * The short form of a decision: `observed` is a broken rule that is let through because it is not enforced, `redacted`
 * one whose matches are replaced.
 */
export type Verdict = 'allowed' | 'denied' | 'observed' | 'redacted';
export const VERDICTS = ['allowed', 'denied', 'observed', 'redacted'] as const satisfies readonly Verdict[];

export interface Answer {
  readonly verdict: Verdict;
  /** JSON pointer of the rule that decided; absent when none did. */
  readonly rule?: string;
  readonly mode: Decision['mode'];
  /** Empty when nothing was broken. */
  readonly message: string;
  /** Which part of the policy answered, where several could have: `js_sensor.mcp.client`. */
  readonly by?: string;
}

export function toAnswer(decision: Decision, by?: string): Answer {
  return {
    verdict: verdictOf(decision),
    ...(decision.rule === undefined ? {} : { rule: decision.rule }),
    mode: decision.mode,
    message: decision.message,
    ...(by === undefined ? {} : { by }),
  };
}

function verdictOf({ allowed, violation, action }: Decision): Verdict {
  if (!allowed) return 'denied';
  if (action === 'redacted') return 'redacted';
  return violation ? 'observed' : 'allowed';
}

const SEVERITY: readonly Verdict[] = ['allowed', 'observed', 'redacted', 'denied'];

/** The strictest of several answers, the first among equals. */
export function strictest(answers: readonly Answer[]): Answer | undefined {
  return answers.toSorted((a, b) => SEVERITY.indexOf(b.verdict) - SEVERITY.indexOf(a.verdict))[0];
}
