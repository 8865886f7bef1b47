import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { Command, Option } from 'commander';

import { SCHEMA_URL } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readInput, writeOutput } from '../files.ts';

interface Options {
  readonly template: string;
  readonly policyId?: string;
  readonly out: string;
  readonly force?: boolean;
}

/** `ucp-policy init [--template NAME]`: a policy to start from. */
export function command(cli: Cli): Command {
  const directory = join(cli.root, 'profiles/policy/templates');
  const names = readdirSync(directory).map((file) => file.replace(/\.json$/, ''));
  const definition = new Command('init')
    .addOption(new Option('--template <name>', 'what to start from').choices(names).default('observe'))
    .option('--policy-id <id>', 'policy_id of the new policy')
    .option('--out <file>', 'where to write it', 'policy.json')
    .option('--force', 'replace an existing file');
  return verb<Options>(cli, definition, (_args, { template, policyId, out, force }, output) => {
    const text = Buffer.from(readInput(join(directory, `${template}.json`)))
      .toString('utf8')
      .replace('"../policy.schema.json"', JSON.stringify(SCHEMA_URL))
      .replace(/(?<="policy_id": )"[^"]*"/, (id) => (policyId === undefined ? id : JSON.stringify(policyId)));
    writeOutput(out, text, { replace: force ?? false });
    output.answer({ file: out, template }, () =>
      lines(`Wrote ${out} (template ${template}).`, `Next: edit it, then ucp-policy validate ${out}`),
    );
    return EXIT.ok;
  });
}
