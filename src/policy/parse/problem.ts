import type { ErrorCode } from '../../core/error-codes/index.ts';
import { UcpError } from '../../core/errors.ts';

/** Keys and indexes from the document's root. */
export type Path = readonly (string | number)[];

/** One thing that is wrong with a policy document. */
export interface Problem {
  readonly code: ErrorCode;
  /** JSON pointer (RFC 6901) in the document as its author wrote it. */
  readonly pointer: string;
  /** From 1; columns count UTF-16 units. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The known name nearest to an unknown one. */
  readonly nearest?: string;
}

/** A problem before its place in the text is known. */
export type Finding = Pick<Problem, 'code' | 'message' | 'nearest'> & {
  readonly path: Path;
  /** The place is the key, not its value. */
  readonly atKey?: boolean;
};

/** The JSON pointer (RFC 6901) of a path. */
export function toPointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** One line about a problem: place, pointer, what is wrong. */
export function describeProblem(problem: Problem): string {
  return `${problem.line}:${problem.column} ${problem.pointer === '' ? '(document)' : problem.pointer}: ${problem.message} [${problem.code}]`;
}

/** POLICY_INVALID with every problem in `details.problems`; the message is one line and names the first ones. */
export function policyInvalid(problems: readonly Problem[]): UcpError {
  const shown = problems.slice(0, 3).map(describeProblem).join('; ');
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  return new UcpError('POLICY_INVALID', `The policy is not valid: ${shown}${more}`, {
    ...(problems[0] === undefined ? {} : { pointer: problems[0].pointer }),
    details: { problems },
  });
}
