import type { Command } from 'commander';

import { describeRun } from '../../run/describe-run.ts';
import { describeLogs, type Verb } from '../../describe-verbs.ts';
import type { LocalVerb } from '../local.ts';
import type { LogsOptions } from '../logs.ts';

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
export function describeMcp(root: Command, local: LocalVerb, verb: Verb): void {
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
    .allowUnknownOption();
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
    .command('ps')
    .description('list the sandboxes in which clients run servers')
    .argument('[name...]')
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common) =>
      verb(options, async (session) => (await import('./running.ts')).mcpPs(session, names), { reads: true }),
    );
  mcp
    .command('stop')
    .description('end the sandboxes of servers; clients see the end of the server, the definitions stay')
    .argument('<name...>')
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common) =>
      verb(options, async (session) => (await import('./running.ts')).mcpStop(session, names)),
    );
  describeLogs(mcp.command('logs'))
    .description('print what a server says in the sandbox of its newest client')
    .argument('<name>')
    .action(async (name: string, options: Common & LogsOptions) =>
      verb(options, async (session) => (await import('./running.ts')).mcpLogs(session, name, options)),
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
