import type { Command } from 'commander';

import type { CliHost } from '../../host.ts';
import type { LocalVerb } from '../local.ts';

/** Adds `completion`, and the verb that its scripts call at every press of Tab. */
export function describeCompletion(root: Command, host: CliHost, local: LocalVerb): void {
  root
    .command('completion')
    .description('print a completion script: source <(ucp-sandbox completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) =>
      local({}, async () => {
        const { completionScript } = await import('./scripts.ts');
        host.stdout.write(completionScript(shell));
      }),
    );
  root
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (words: string[]) =>
      local({}, async () => {
        const { complete } = await import('./complete.ts');
        host.stdout.write((await complete(root, host, words)).map((word) => `${word}\n`).join(''));
      }),
    );
}
