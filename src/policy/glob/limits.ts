/** Most patterns that the braces and alternatives of one glob may stand for. */
export const MAX_VARIANTS = 1_000;
/** Longest glob, UTF-16 units. */
export const MAX_LENGTH = 4_096;
/** Most variants of all globs of one list. */
export const MAX_LIST_VARIANTS = 100_000;
