import type { List } from '../glob/list.ts';
import type { RegexProgram } from '../regex/program.ts';
import type { BuiltinSet } from '../schema/patterns.ts';

/** A pattern by name. */
export interface NamedProgram {
  readonly name: string;
  readonly program: RegexProgram;
}

/**
 * Where compiled rules come from: made from their source in the control plane and the command line, read from the
 * policy file in a sensor, which has no compilers.
 */
export interface Engine {
  regex(source: string): RegexProgram;
  builtin(set: BuiltinSet): readonly NamedProgram[];
  /** Globs over URIs, URLs or paths; see {@link List}. */
  globs(globs: readonly string[]): List;
}
