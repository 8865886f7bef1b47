import { Command } from 'commander';

import { describeProblem, inspectPolicy, policyDigest, policyWarnings } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readInput } from '../files.ts';

/** `ucp-policy validate FILE`: 0 valid, 1 not, 2 unreadable. */
export function command(cli: Cli): Command {
  const definition = new Command('validate').argument('<file>', 'policy file, - for stdin');
  return verb(cli, definition, ([file = ''], _options, output) => {
    const bytes = readInput(file);
    const { policy, problems } = inspectPolicy(bytes);
    if (policy === undefined) {
      output.answer({ valid: false, problems }, () =>
        lines(
          ...problems.map((problem) => `${file}:${describeProblem(problem)}`),
          `${file}: not valid, ${problems.length} problem${problems.length === 1 ? '' : 's'}`,
        ),
      );
      return EXIT.failed;
    }
    const { policy_id, version } = policy;
    const digest = policyDigest(bytes);
    const warnings = policyWarnings(policy, Date.now());
    output.answer({ valid: true, policy_id, version, digest, size: bytes.length, warnings }, () =>
      lines(
        ...warnings.map(({ pointer, message }) => `${file}: warning: ${pointer}: ${message}`),
        `${file}: valid, ${policy_id} version ${version}, ${bytes.length} bytes, ${digest}`,
      ),
    );
    return EXIT.ok;
  });
}
