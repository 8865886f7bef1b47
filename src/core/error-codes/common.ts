/** Codes that any program of UCP can raise. */
export const commonErrors = {
  USAGE: {
    summary: 'The command line is not one that the program accepts.',
    remedy: 'Read the message and `--help`; unknown flags and missing values are named.',
  },
  INTERNAL: {
    summary: 'Something failed that UCP did not expect; the cause is attached.',
    remedy: 'Run again with `--debug` and report it with the printed cause.',
  },
  FILE_UNREADABLE: {
    summary: 'A file named on the command line or in the configuration cannot be read.',
    remedy: 'Check that the path exists and that this user may read it.',
  },
} as const;
