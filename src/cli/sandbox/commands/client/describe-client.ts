import type { Command } from 'commander';

import { CLIENTS } from '../../../../sandbox/clients/catalog.ts';
import type { LocalVerb } from '../local.ts';
import type { Choice } from './choice.ts';
import type { ImportOptions } from './import.ts';

const EXAMPLES = `
Examples:
  $ ucp-sandbox client setup claude-code --server files
  $ ucp-sandbox client setup cursor --all --project
  $ ucp-sandbox client import cursor
  $ ucp-sandbox client status
  $ ucp-sandbox client remove claude-code --server files`;

/** Adds `client` and its verbs. What a verb does is loaded when it is called. */
export function describeClient(root: Command, local: LocalVerb): void {
  const known = CLIENTS.map(({ id }) => id).join(', ');
  const client = root
    .command('client')
    .description("MCP clients' configuration files")
    .addHelpText('after', `\nClients: ${known}\n${EXAMPLES}`);
  const verb = (name: string, description: string): Command =>
    client
      .command(name)
      .description(description)
      .argument('[client...]', `${known}; without one those found here`)
      .option('--json', 'as JSON');
  const choosing = (name: string, description: string): Command =>
    verb(name, description)
      .option('--server <name>', 'this server; may be given several times', (text, all: string[]) => [...all, text], [])
      .option('--all', 'every defined server', false)
      .option('--project', "the file in the current directory's project", false)
      .option('--user', "the user's file (the default)", false);
  choosing('setup', 'let clients start defined servers through ucp-sandbox')
    .option('--force', 'replace a server of that name that is not ours', false)
    .action(async (names: string[], options: Choice & { force: boolean }) =>
      local(options, async (it) => (await import('./setup.ts')).setup(it, names, options)),
    );
  choosing('remove', 'take them out again: files become what they were').action(
    async (names: string[], options: Choice) =>
      local(options, async (it) => (await import('./setup.ts')).remove(it, names, options)),
  );
  choosing('print', 'print what setup would put into a new file').action(async (names: string[], options: Choice) =>
    local(options, async (it) => (await import('./setup.ts')).print(it, names, options)),
  );
  choosing('import', 'define the servers that clients start themselves, and start them through ucp-sandbox')
    .option('-y, --yes', 'without a question', false)
    .option('--no-check', 'do not start them now')
    .option('--base <image>', 'for packages: the image below')
    .option('--registry <url>', 'for packages: where they come from')
    .action(async (names: string[], options: ImportOptions) =>
      local(options, async (it) => (await import('./import.ts')).importServers(it, names, options)),
    );
  verb('status', 'list the servers of clients, and which run in a sandbox').action(
    async (names: string[], options: { json?: boolean }) =>
      local(options, async (it) => (await import('./status.ts')).status(it, names)),
  );
}
