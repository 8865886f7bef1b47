import type { Mode, Switches } from '../../../policy/index.ts';
import { inherit } from '../../../policy/index.ts';

/** What a section does with its subject. `mode` and `setting` have a value instead. */
type FactKind = 'allows' | 'denies' | 'redacts' | 'mode' | 'setting';

/** One thing that a policy says, in a form that two policies can be compared by. */
export interface Fact {
  readonly kind: FactKind;
  /** What it is about: completes "Denies …", "Allows …"; two facts are the same when kind and subject are. */
  readonly subject: string;
  /** Of `mode`: off, observe or enforce. Of `setting`: what it is set to. */
  readonly value?: string;
  /** JSON pointer of the rule. */
  readonly pointer: string;
}

/** What a policy says about one part of the system. */
export interface Chapter {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** Whether a part is on, and whether it enforces. `subject` names the part. */
export function modeFact(subject: string, pointer: string, path: readonly (Switches | undefined)[]): Fact {
  return { kind: 'mode', subject, pointer, value: modeName(inherit(path)) };
}

/** True when the innermost section of `path` is in force at all. */
export function isOn(path: readonly (Switches | undefined)[]): boolean {
  return inherit(path).enabled;
}

function modeName({ enabled, mode }: Mode): string {
  return enabled ? mode : 'off';
}

/** The facts of an allow_list and a deny_list; `what` makes a subject of an entry. */
export function listFacts(
  pointer: string,
  lists:
    | { readonly allow_list?: readonly string[] | undefined; readonly deny_list?: readonly string[] | undefined }
    | undefined,
  what: { readonly each: (entry: string) => string; readonly other: string },
): Fact[] {
  const { allow_list: allowed, deny_list: denied = [] } = lists ?? {};
  const facts: Fact[] = denied.map((entry, index) => ({
    kind: 'denies',
    subject: what.each(entry),
    pointer: `${pointer}/deny_list/${index}`,
  }));
  if (allowed === undefined) return facts;
  return [
    ...facts,
    ...allowed.map((entry, index): Fact => ({
      kind: 'allows',
      subject: what.each(entry),
      pointer: `${pointer}/allow_list/${index}`,
    })),
    { kind: 'denies', subject: what.other, pointer: `${pointer}/allow_list` },
  ];
}
