import { Command, CommanderError } from 'commander';

import { UcpError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { EXIT } from '../exit-codes.ts';
import { withExamples } from '../examples.ts';
import { createOutput, type Output } from '../output.ts';
import { checkConfig } from './commands/check-config.ts';
import { logs, type LogsOptions } from './commands/logs.ts';
import { reload } from './commands/reload.ts';
import { restart } from './commands/restart.ts';
import { status } from './commands/status.ts';
import { stop } from './commands/stop.ts';
import { sync } from './commands/sync.ts';
import type { UcpdHost } from './host.ts';

interface Json {
  readonly json?: boolean;
}

/** Every verb but `run`, and the help of all of them. Resolves with the exit code; throws what failed. */
export async function ucpd(args: readonly string[], host: UcpdHost): Promise<number> {
  const root = ucpdTree(host);
  try {
    await root.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return EXIT.ok;
    throw new UcpError('USAGE', thrown.message.replace(/^error: /, '').replaceAll('\n', ' '));
  }
}

/** The command line as commander has it, with examples. */
export function ucpdTree(host: UcpdHost): Command {
  const output = ({ json }: Json): Output => createOutput(host, { json: json ?? false });
  const root = new Command('ucpd')
    .description('The control plane: loads the signed policy, watches over sandboxes, exports events.')
    .version(VERSION, '-V, --version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => host.stdout.write(text), writeErr: () => undefined });
  root
    .command('run')
    .description('serve (what the system unit does)')
    .option('--config <url>', 'configuration: a path, file:///PATH or s3://REGION@BUCKET/KEY')
    .option('--on-demand', "serve this user's own sandboxes and leave when idle");
  root
    .command('status')
    .description('what runs, under which policy, what is not in force')
    .option('--json', 'as JSON')
    .action((options: Json) => status(host, output(options)));
  root
    .command('logs')
    .description('events: life cycle, sandboxes, violations')
    .option('-f, --follow', 'go on with new events')
    .option('--since <time>', 'a span (10m, 2h) or a time (RFC 3339)')
    .option('--json', 'one JSON object per line')
    .action((options: LogsOptions) => logs(options, host));
  root
    .command('sync')
    .description('check for a newer policy now')
    .option('--wait', 'wait for the outcome (always so)')
    .option('--json', 'as JSON')
    .action((options: Json) => sync(host, output(options)));
  root
    .command('reload')
    .description('read the configuration again, without a restart')
    .option('--json', 'as JSON')
    .action((options: Json) => reload(host, output(options)));
  root
    .command('restart')
    .description('end the control plane and start it again; sandboxes go on')
    .action(() => restart(host));
  root
    .command('stop')
    .description('end the control plane; sandboxes go on')
    .action(async () => {
      const ran = await stop(host);
      if (!ran) output({}).note('no control plane runs');
    });
  root
    .command('check-config')
    .description('check a configuration without starting')
    .argument('[url]', 'the configuration; default: the one that `run` would read')
    .option('--json', 'as JSON')
    .action((url: string | undefined, options: Json) => checkConfig(url, host, output(options)));
  return withExamples(root);
}
