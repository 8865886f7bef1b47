import type { Command } from 'commander';

import { describeRun } from '../../run/describe-run.ts';
import type { LocalVerb } from '../local.ts';

interface Common {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  $ ucp-sandbox mcp add files -v ./notes:/notes my-server-image /notes
  $ ucp-sandbox mcp add files -v ./notes:/data npx:@modelcontextprotocol/server-filesystem /data
  $ ucp-sandbox mcp add --policy policy.json --policy-key key.pub web my-server-image
  $ ucp-sandbox client setup --server files
  $ ucp-sandbox mcp update files`;

/** Adds `mcp` and its verbs. What a verb does is loaded when it is called. */
export function describeMcp(root: Command, local: LocalVerb): void {
  const mcp = root.command('mcp').description('named MCP servers for clients').addHelpText('after', EXAMPLES);
  const add = mcp.command('add');
  describeRun(add);
  add
    .description('define a server: pin its image, start it once, keep it by name')
    .usage('NAME [flags] IMAGE [ARGS…]')
    .option('--force', 'replace the definition of that name')
    .option('--no-check', 'do not start it now')
    .option('--base <image>', 'for npx:NAME[@VERSION] and uvx:NAME[@VERSION]: the image below the package')
    .option('--registry <url>', 'the registry that the package comes from')
    .allowUnknownOption()
    .addHelpText('after', EXAMPLES);
  mcp
    .command('run')
    .description('run a defined server on stdin and stdout: what clients call')
    .argument('<name>')
    .helpOption('--help', 'print this');
  mcp
    .command('ls')
    .alias('list')
    .description('list the defined servers')
    .option('--json', 'as JSON')
    .action(async (options: Common) => local(options, async (it) => (await import('./list.ts')).list(it)));
  mcp
    .command('show')
    .description('print definitions')
    .argument('<name...>')
    .option('--json', 'on one line')
    .action(async (names: string[], options: Common) =>
      local(options, async (it) => (await import('./list.ts')).show(it, names)),
    );
  mcp
    .command('rm')
    .description('forget definitions')
    .argument('<name...>')
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common) =>
      local(options, async (it) => (await import('./list.ts')).remove(it, names)),
    );
  mcp
    .command('update')
    .description('show what changes in the tools of the image of today, then pin it')
    .argument('<name>')
    .option('-y, --yes', 'pin it without a question', false)
    .option('--json', 'as JSON')
    .action(async (name: string, options: Common & { yes: boolean }) =>
      local(options, async (it) => (await import('./update.ts')).update(it, name, options)),
    );
}
