import type { Command } from 'commander';

import { networkCheck, networkLs, networkShow } from './commands/network.ts';
import type { Common, Verb } from './describe-verbs.ts';

interface OfPolicy extends Common {
  readonly policy?: string;
  readonly policyKey?: string;
}

function of(command: Command): Command {
  return command
    .option('--policy <file>', 'of this signed policy instead of the one in force')
    .option('--policy-key <file>', 'public key of that policy')
    .option('--json', 'as JSON');
}

/** Adds `network` and its verbs to the command line. */
export function describeNetwork(root: Command, verb: Verb): void {
  const network = root.command('network').description('the network configurations that a run may name');
  of(network.command('ls').description('list them')).action(async (options: OfPolicy) =>
    verb(options, async (session) => networkLs(session, options), { reads: true }),
  );
  of(network.command('show').description('print one').argument('<name>')).action(
    async (name: string, options: OfPolicy) =>
      verb(options, async (session) => networkShow(session, name, options), { reads: true }),
  );
  of(
    network
      .command('check')
      .description('say whether a connection would be let out; exit code 1 when not')
      .argument('<name>')
      .argument('<host:port>', 'the destination, with /udp for UDP'),
  ).action(async (name: string, destination: string, options: OfPolicy) =>
    verb(options, async (session) => networkCheck(session, name, destination, options), { reads: true }),
  );
}
