import type { NamedProgram } from '../decide/engine.ts';
import type { RegexProgram } from '../regex/program.ts';
import type { BuiltinSet } from '../schema/patterns.ts';

/** `programs` of the sensors' policy file. */
export interface SensorPrograms {
  /** By the regular expression's source. */
  readonly regex: Readonly<Record<string, RegexProgram>>;
  /** The patterns of each builtin set that the policy names. */
  readonly builtin: Readonly<Partial<Record<BuiltinSet, readonly NamedProgram[]>>>;
  /** By the glob: an anchored regex source, see `globListSource`. */
  readonly globs: Readonly<Record<string, string>>;
}
