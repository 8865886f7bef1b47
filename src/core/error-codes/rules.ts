/** Codes of the policy's rules: globs and regular expressions. */
export const ruleErrors = {
  REGEX_INVALID: {
    summary: 'A regular expression is not in RE2 syntax.',
    remedy: 'Write it without look-around and back-references; the message says where it fails.',
  },
  REGEX_TOO_LARGE: {
    summary: 'A regular expression compiles to more instructions than UCP runs.',
    remedy: 'Lower its repetition counts, or split it into several patterns.',
  },
  GLOB_INVALID: {
    summary: 'A glob is malformed, or uses a form that cannot be matched in linear time.',
    remedy:
      'Write it with `*`, `?`, `**`, classes, braces and simple extglobs, or split it; the message names the part.',
  },
} as const;
