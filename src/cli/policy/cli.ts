import type { Command } from 'commander';

import { toUcpError, type UcpError } from '../../core/errors.ts';
import { describeProblem, type Problem } from '../../policy/index.ts';
import { EXIT } from '../exit-codes.ts';
import { type CliIo, createOutput, type Output, printable } from '../output.ts';

/** What every verb of `ucp-policy` gets. */
export interface Cli {
  readonly io: CliIo;
  /** Directory of the package: profiles stand below it. */
  readonly root: string;
  /** The code to leave with; a verb that ran sets it. */
  exitCode: number;
}

/** What a verb does: answers on `output`, returns the exit code. */
export type Action<Options> = (args: readonly string[], options: Options, output: Output) => Promise<number> | number;

/** Codes that mean: the question was wrong, not the answer no. */
const USAGE: ReadonlySet<string> = new Set([
  'USAGE',
  'FILE_UNREADABLE',
  'POLICY_QUERY',
  'POLICY_TEST_TABLE',
  'POLICY_PUBLISH_TARGET',
]);

/** Exit code of a failed verb: 2 for what can't be understood or read, 1 for the rest. */
function exitCodeOf(error: UcpError): number {
  return USAGE.has(error.code) ? EXIT.usage : EXIT.failed;
}

/** Gives `command` its action, `--json` and the common way of failing; `trouble` overrides the exit code of failures. */
export function verb<Options>(cli: Cli, command: Command, action: Action<Options>, trouble?: number): Command {
  return command.option('--json', 'answer in JSON').action(async () => {
    const options = command.opts<Options & { json?: boolean }>();
    const output = createOutput(cli.io, { json: options.json ?? false });
    try {
      cli.exitCode = await action(command.args, options, output);
    } catch (thrown) {
      const error = toUcpError(thrown);
      cli.exitCode = trouble ?? exitCodeOf(error);
      for (const problem of problemsOf(error)) output.note(describeProblem(problem));
      output.failure(error, cli.exitCode);
    }
  });
}

function problemsOf(error: UcpError): readonly Problem[] {
  const problems = error.code === 'POLICY_INVALID' ? error.details['problems'] : undefined;
  return isProblems(problems) ? problems : [];
}

function isProblems(value: unknown): value is readonly Problem[] {
  return Array.isArray(value);
}

/** Lines for people, with what could steer their terminal spelled out. */
export function lines(...text: readonly string[]): string {
  return text.map(printable).join('\n');
}
