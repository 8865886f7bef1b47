import { Command, CommanderError } from 'commander';

import { toUcpError, UcpError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { EXIT } from '../exit-codes.ts';
import { withExamples } from '../examples.ts';
import { createOutput } from '../output.ts';
import { describeClient } from './commands/client/describe-client.ts';
import type { LocalVerb } from './commands/local.ts';
import { describeCompletion } from './commands/completion/describe-completion.ts';
import { describeMcp } from './commands/mcp/describe-mcp.ts';
import { openSession } from './commands/session.ts';
import { describeNetwork } from './describe-network.ts';
import { describeVerbs, type Verb } from './describe-verbs.ts';
import type { CliHost } from './host.ts';
import { describeRun } from './run/describe-run.ts';

/** Every verb but `run`, and the help of all of them. Resolves with the exit code. */
export async function program(args: readonly string[], host: CliHost): Promise<number> {
  let exitCode: number = EXIT.ok;
  let json = args.includes('--json');
  const verb: Verb = async (options, act, { reads = false } = {}) => {
    json = options.json ?? false;
    const session = await openSession(host, createOutput(host, { json }), reads);
    try {
      exitCode = (await act(session)) ?? EXIT.ok;
    } finally {
      session.client.close();
    }
  };
  const local: LocalVerb = async (options, act) => {
    json = options.json ?? false;
    exitCode = (await act({ host, output: createOutput(host, { json }) })) ?? EXIT.ok;
  };
  const root = sandboxTree(host, verb, local);
  try {
    if (await mcpAdd(args, local)) return exitCode;
    await root.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.ok;
    const error = thrown instanceof CommanderError ? usageOf(thrown) : toUcpError(thrown);
    const failed =
      args[0] === 'exec' || error.code === 'NETWORK_CONFIG_UNKNOWN'
        ? EXIT.refused
        : error.code === 'USAGE'
          ? EXIT.usage
          : EXIT.failed;
    createOutput(host, { json }).failure(error, failed);
    return failed;
  }
}

/** The command line as commander has it, with examples. */
export function sandboxTree(host: CliHost, verb: Verb, local: LocalVerb): Command {
  const root = new Command('ucp-sandbox')
    .description('Runs container images under policy.')
    .version(VERSION, '-V, --version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => host.stdout.write(text), writeErr: () => undefined })
    .showSuggestionAfterError();
  describeRun(root.command('run'));
  describeVerbs(root, verb);
  describeNetwork(root, verb);
  describeMcp(root, local, verb);
  describeClient(root, local);
  describeCompletion(root, host, local);
  root
    .command('doctor')
    .description('look at engine, kernel, control plane, policy, servers and clients; exit code 1 when something fails')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) =>
      local(options, async (it) => (await import('./commands/doctor/doctor.ts')).doctor(it)),
    );
  return withExamples(root);
}

/** `mcp add`, whose flags are those of `run`; false when this is another verb or its help is asked for. */
async function mcpAdd([noun, verb, ...rest]: readonly string[], local: LocalVerb): Promise<boolean> {
  if (noun !== 'mcp' || verb !== 'add') return false;
  const { parseAdd } = await import('./commands/mcp/parse-add.ts');
  const parsed = parseAdd(rest);
  if (parsed === undefined) return false;
  await local(parsed, async (it) => (await import('./commands/mcp/add.ts')).add(it, parsed));
  return true;
}

function usageOf(error: CommanderError): UcpError {
  return new UcpError('USAGE', error.message.replace(/^error: /, '').replaceAll('\n', ' '));
}
