import { commonErrors } from './common.ts';
import { controlplaneErrors } from './controlplane.ts';
import { helperErrors } from './helper.ts';
import { policyErrors } from './policy.ts';
import { ruleErrors } from './rules.ts';
import { sandboxErrors } from './sandbox.ts';
import { telemetryErrors } from './telemetry.ts';
import { wrapperErrors } from './wrapper.ts';

/** What the generated `docs/errors.md` says of one code. */
export interface ErrorEntry {
  /** What happened, one sentence. */
  readonly summary: string;
  /** What the reader does about it, one sentence. */
  readonly remedy: string;
}

/** Every stable error code of UCP. A code is never reused for another meaning. */
export const ERRORS = {
  ...commonErrors,
  ...policyErrors,
  ...ruleErrors,
  ...sandboxErrors,
  ...controlplaneErrors,
  ...telemetryErrors,
  ...wrapperErrors,
  ...helperErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
