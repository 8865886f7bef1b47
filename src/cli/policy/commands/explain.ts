import { Command } from 'commander';

import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readPolicy } from '../files.ts';
import { chapters } from '../meaning/chapters.ts';
import { explain, sentence } from '../meaning/explain.ts';

/** `ucp-policy explain FILE`: what a policy means, in sentences. */
export function command(cli: Cli): Command {
  const definition = new Command('explain').argument('<file>', 'policy file, - for stdin');
  return verb(cli, definition, ([file = ''], _options, output) => {
    const { policy } = readPolicy(file);
    const said = chapters(policy);
    const { policy_id, version } = policy;
    const json = said.map(({ title, facts }) => ({
      title,
      facts: facts.map((fact) => ({ ...fact, sentence: sentence(fact) })),
    }));
    output.answer({ policy_id, version, chapters: json }, () =>
      lines(`${policy_id} version ${version}\n\n${explain(said)}`),
    );
    return EXIT.ok;
  });
}
