/** One pattern of a builtin set. */
export interface BuiltinPattern {
  /** Unique in its set; events call it `set/name`. */
  readonly name: string;
  /** RE2 syntax; searched anywhere in a text. */
  readonly regex: string;
  /** What it is for, one line. */
  readonly why: string;
}
