/** Exit codes of our programs. A workload's own code passes unchanged. */
export const EXIT = {
  ok: 0,
  /** `ucp-policy check` and `test`: denied, or a case failed. Other verbs: the thing asked for could not be done. */
  failed: 1,
  /** The command line or the query is not one that the verb understands. */
  usage: 2,
  /** `ucp-sandbox run --time-limit`: the time was up, as timeout(1). */
  timedOut: 124,
  /** `ucp-sandbox run`: ours or the engine's failure, policy, verification, a control that can't be enforced. */
  refused: 125,
  /** The entrypoint exists and is not executable, or policy denies it. */
  notExecutable: 126,
  /** The image has no such command. */
  notFound: 127,
  /** Whoever read the answer has gone: 128 + SIGPIPE. */
  brokenPipe: 141,
} as const;
