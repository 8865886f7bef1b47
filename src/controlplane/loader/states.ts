import { UcpError } from '../../core/errors.ts';

/** Which policy sandboxes get. */
type InForce = 'none' | 'default' | 'active';
/** How far the policy that was found in storage has come. */
type Candidate = 'none' | 'found' | 'downloaded' | 'verified' | 'validated' | 'rejected';

export interface LoaderState {
  readonly inForce: InForce;
  readonly candidate: Candidate;
}

export type Trigger =
  /** The persisted policy was verified and validated again at a start. */
  | 'restored'
  /** Nothing valid was persisted: the built-in default. */
  | 'defaulted'
  /** The configuration names no source any more: the built-in default again. */
  | 'withdrawn'
  | 'newer_found'
  | 'nothing_newer'
  | 'downloaded'
  | 'download_failed'
  | 'signature_valid'
  | 'signature_invalid'
  /** The signature is not that of the policy and may be on its way: both are fetched again. */
  | 'pair_torn'
  | 'valid'
  | 'invalid'
  | 'applied'
  | 'apply_failed';

export const START: LoaderState = { inForce: 'none', candidate: 'none' };

type Step = { readonly from: readonly Candidate[]; readonly to: Candidate };

/**
 * The specification's table (§3), each row once: what a trigger does to the candidate. Only `restored`, `defaulted`,
 * `withdrawn` and `applied` change what is in force; whatever becomes of a candidate, the policy in force goes on.
 */
const CANDIDATE: Readonly<Record<Exclude<Trigger, 'restored' | 'defaulted' | 'withdrawn'>, Step>> = {
  newer_found: { from: ['none', 'rejected'], to: 'found' },
  nothing_newer: { from: ['none', 'rejected'], to: 'none' },
  downloaded: { from: ['found'], to: 'downloaded' },
  download_failed: { from: ['found'], to: 'none' },
  signature_valid: { from: ['downloaded'], to: 'verified' },
  signature_invalid: { from: ['downloaded'], to: 'rejected' },
  pair_torn: { from: ['downloaded'], to: 'found' },
  valid: { from: ['verified'], to: 'validated' },
  invalid: { from: ['verified'], to: 'rejected' },
  applied: { from: ['validated'], to: 'none' },
  apply_failed: { from: ['validated'], to: 'rejected' },
};

/** The state after `trigger`. Pure; throws INTERNAL for a step that the table doesn't have. */
export function transition(state: LoaderState, trigger: Trigger): LoaderState {
  if (trigger === 'restored' || trigger === 'defaulted') {
    if (state.inForce !== 'none') throw impossible(state, trigger);
    return { inForce: trigger === 'restored' ? 'active' : 'default', candidate: 'none' };
  }
  if (trigger === 'withdrawn') {
    if (state.inForce === 'none') throw impossible(state, trigger);
    return { inForce: 'default', candidate: 'none' };
  }
  const { from, to } = CANDIDATE[trigger];
  if (state.inForce === 'none' || !from.includes(state.candidate)) throw impossible(state, trigger);
  return { inForce: trigger === 'applied' ? 'active' : state.inForce, candidate: to };
}

function impossible(state: LoaderState, trigger: Trigger): UcpError {
  return new UcpError('INTERNAL', `The policy loader can't do ${trigger} in ${state.inForce}/${state.candidate}.`);
}
