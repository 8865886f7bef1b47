import type { ViolationRef } from '../../core/events.ts';
import type { PlanNote } from '../../core/plan.ts';
import type { Mode } from '../schema/inherit.ts';
import { type Breach, type Decision, violated } from './decision.ts';

/** Collects what was found about a request. */
export class Judge {
  readonly refusals: Decision[] = [];
  readonly observed: ViolationRef[] = [];
  readonly notes: PlanNote[] = [];
  readonly #mode: Mode;

  constructor(mode: Mode) {
    this.#mode = mode;
  }

  /** True when rules are to be enforced, not only observed. */
  get enforces(): boolean {
    return this.#mode.enabled && this.#mode.mode === 'enforce';
  }

  /** Something that is refused in every mode: no policy and no flag permits it. */
  refuse(rule: string, breach: Omit<Breach, 'rule'>): void {
    this.refusals.push(violated('enforce', { rule, ...breach }));
  }

  /** A rule of the policy was broken: refused or observed, by the section's mode. */
  break(rule: string, breach: Omit<Breach, 'rule'>): void {
    if (!this.#mode.enabled) return;
    const decision = violated(this.#mode.mode, { rule, ...breach });
    if (!decision.allowed) this.refusals.push(decision);
    else this.observed.push({ rule, mode: decision.mode, action: decision.action, message: decision.message });
  }

  /** Who decided about a field of the container, for `--explain`. */
  note(field: string, by: PlanNote['by'], source: string, reason: string): void {
    this.notes.push({ field, by, source, reason });
  }
}
