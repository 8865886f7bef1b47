import type { Chapter, Fact } from './fact.ts';

/** What a change does to those who are under the policy. */
export type Effect = 'denied' | 'allowed' | 'redacted' | 'enforced' | 'observed' | 'off' | 'changed';

/** One difference of meaning between two policies. */
export interface Change {
  readonly effect: Effect;
  readonly chapter: string;
  readonly subject: string;
  /** Of modes and settings. */
  readonly from?: string;
  readonly to?: string;
  /** In the new policy; in the old one for what is gone. */
  readonly pointer: string;
}

const MODE_EFFECTS: Readonly<Record<string, Effect>> = { enforce: 'enforced', observe: 'observed', off: 'off' };

/** What becomes of the subject when a fact is new, and when it is gone. */
const ADDED = { denies: 'denied', allows: 'allowed', redacts: 'redacted' } as const;
const REMOVED = { denies: 'allowed', allows: 'denied', redacts: 'allowed' } as const;

/** Compares two policies by what they mean: order, notes and spelling of the document make no difference. */
export function diff(before: readonly Chapter[], after: readonly Chapter[]): Change[] {
  const old = new Map(before.flatMap(({ title, facts }) => facts.map((fact) => [key(title, fact), { title, fact }])));
  const now = new Map(after.flatMap(({ title, facts }) => facts.map((fact) => [key(title, fact), { title, fact }])));
  const gone = [...old].filter(([id]) => !now.has(id)).map(([, { title, fact }]) => change(title, fact, undefined));
  const here = [...now].map(([id, { title, fact }]) => change(title, old.get(id)?.fact, fact));
  return [...here, ...gone].filter((found) => found !== undefined);
}

const key = (title: string, { kind, subject }: Fact): string => JSON.stringify([title, kind, subject]);

function change(chapter: string, old: Fact | undefined, now: Fact | undefined): Change | undefined {
  const fact = now ?? old;
  if (fact === undefined) return undefined;
  const { kind, subject, pointer } = fact;
  if (kind === 'mode' || kind === 'setting') return changedValue(chapter, fact, old, now);
  if (old !== undefined && now !== undefined) return undefined;
  return { effect: (now === undefined ? REMOVED : ADDED)[kind], chapter, subject, pointer };
}

function changedValue(chapter: string, fact: Fact, old: Fact | undefined, now: Fact | undefined): Change | undefined {
  const absent = fact.kind === 'mode' ? 'off' : 'not set';
  const [from, to] = [old?.value ?? absent, now?.value ?? absent];
  if (from === to) return undefined;
  const effect = fact.kind === 'mode' ? (MODE_EFFECTS[to] ?? 'changed') : 'changed';
  return { effect, chapter, subject: fact.subject, from, to, pointer: fact.pointer };
}
