import { regexProblem as compileProblem } from '../regex/compile-program.ts';

/** Most verdicts that are kept; a document names the same pattern for many servers. */
const MAX_KEPT = 10_000;

const kept = new Map<string, string | undefined>();

/** What is wrong with a regular expression, or undefined; each text is compiled once. */
export function regexProblem(regex: string): string | undefined {
  if (kept.has(regex)) return kept.get(regex);
  const problem = compileProblem(regex);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(regex, problem);
  return problem;
}
