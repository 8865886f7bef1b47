import type { BuiltinSet } from '../schema/patterns.ts';
import type { NamedProgram } from '../decide/engine.ts';
import { compileProgram } from '../regex/compile-program.ts';
import { exfiltration } from './exfiltration.ts';
import type { BuiltinPattern } from './pattern.ts';
import { pii } from './pii.ts';
import { promptInjection } from './prompt-injection.ts';
import { secrets } from './secrets.ts';
import { shell } from './shell.ts';

/** The pattern sets that come with UCP; what each pattern is for stands beside it. */
export const BUILTIN_PATTERNS: Readonly<Record<BuiltinSet, readonly BuiltinPattern[]>> = {
  prompt_injection: promptInjection,
  secrets,
  shell,
  exfiltration,
  pii,
};

const compiled = new Map<BuiltinSet, readonly NamedProgram[]>();

/** A set's patterns as programs, compiled once per process. */
export function builtinPrograms(set: BuiltinSet): readonly NamedProgram[] {
  const known = compiled.get(set);
  if (known !== undefined) return known;
  const programs = BUILTIN_PATTERNS[set].map(({ name, regex }) => ({ name, program: compileProgram(regex) }));
  compiled.set(set, programs);
  return programs;
}
