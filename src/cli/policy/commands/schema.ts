import { Command } from 'commander';

import { policyJsonSchema } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, verb } from '../cli.ts';

/** `ucp-policy schema`: the JSON Schema of policy documents. */
export function command(cli: Cli): Command {
  return verb(cli, new Command('schema'), (_args, _options, output) => {
    const schema = policyJsonSchema();
    output.answer(schema, () => JSON.stringify(schema, null, 2));
    return EXIT.ok;
  });
}
