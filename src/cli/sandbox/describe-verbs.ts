import type { Command } from 'commander';

import { exec } from './commands/exec.ts';
import { inspect } from './commands/inspect.ts';
import { restart, rm, start, stop } from './commands/lifecycle.ts';
import { logs, type LogsOptions } from './commands/logs.ts';
import { ports } from './commands/ports.ts';
import type { PruneOptions } from './commands/prune/prune.ts';
import { ps } from './commands/ps.ts';
import type { Session } from './commands/session.ts';
import { parseCount } from './values/numbers.ts';

export interface Common {
  readonly json?: boolean;
}

/** Runs what a verb does, with its connections, and turns what it throws into an exit code. */
export type Verb = (
  options: Common,
  act: (session: Session) => Promise<number | void>,
  /** `reads`: it asks for nothing but the state. */
  rights?: { readonly reads?: boolean },
) => Promise<void>;

/** Adds every verb but `run` to the command line. */
export function describeVerbs(root: Command, verb: Verb): void {
  root
    .command('ps')
    .alias('ls')
    .description('list sandboxes')
    .option('-a, --all', 'also those that have ended', false)
    .option('--json', 'as JSON')
    .action(async (options: Common & { all: boolean }) =>
      verb(options, async (session) => ps(session, options), { reads: true }),
    );
  describeLogs(root.command('logs'))
    .description("print a sandbox's output")
    .argument('<sandbox>')
    .action(async (name: string, options: Common & LogsOptions) =>
      verb(options, async (session) => logs(session, name, options)),
    );
  root
    .command('stop')
    .description('stop sandboxes: TERM, a grace, KILL')
    .argument('<sandbox...>')
    .option('-t, --time <seconds>', 'the grace', grace)
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common & { time?: number }) =>
      verb(options, async (session) => stop(session, names, graceOf(options))),
    );
  root
    .command('rm')
    .description('remove sandboxes')
    .argument('<sandbox...>')
    .option('-f, --force', 'also those that run', false)
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common & { force: boolean }) =>
      verb(options, async (session) => rm(session, names, options)),
    );
  root
    .command('start')
    .description('start detached sandboxes again, under the policy of now')
    .argument('<sandbox...>')
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common) => verb(options, async (session) => start(session, names)));
  root
    .command('restart')
    .description('stop detached sandboxes and start them again, under the policy of now')
    .argument('[sandbox...]')
    .option('-a, --all', 'every detached sandbox that runs', false)
    .option('-t, --time <seconds>', 'the grace', grace)
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common & { time?: number; all: boolean }) =>
      verb(options, async (session) => restart(session, names, { ...graceOf(options), all: options.all })),
    );
  root
    .command('ports')
    .description('print where the ports of sandboxes are reachable')
    .argument('<sandbox...>')
    .option('--json', 'as JSON')
    .action(async (names: string[], options: Common) =>
      verb(options, async (session) => ports(session, names), { reads: true }),
    );
  root
    .command('inspect')
    .description('describe sandboxes in full')
    .argument('<sandbox...>')
    .option('--json', 'on one line')
    .action(async (names: string[], options: Common) => verb(options, async (session) => inspect(session, names)));
  root
    .command('prune')
    .description('show what is left over and why, then remove it: nothing that is in use, nothing of others')
    .option('-n, --dry-run', 'only show it', false)
    .option('-f, --force', 'remove it without a question', false)
    .option('--json', 'as JSON')
    .action(async (options: Common & PruneOptions) =>
      verb(options, async (session) => (await import('./commands/prune/prune.ts')).prune(session, options)),
    );
  root
    .command('exec')
    .description('run a further program in a sandbox')
    .passThroughOptions()
    .argument('<sandbox>')
    .argument('<command...>')
    .option('-e, --env <key=value>', 'set a variable', (text, all: string[]) => [...all, text], [])
    .option('-i, --interactive', 'forward stdin', false)
    .option('-t, --tty', 'give it a terminal', false)
    .option('-u, --user <user>', 'user and group')
    .option('-w, --workdir <dir>', 'working directory')
    .option('--json', 'errors as JSON')
    .action(async (name: string, command: string[], options: Common & Parameters<typeof exec>[3]) =>
      verb(options, async (session) => exec(session, name, command, options)),
    );
}

/** Gives a command the options of `logs`. */
export function describeLogs(command: Command): Command {
  return command
    .option('-f, --follow', 'go on as it comes', false)
    .option('--since <when>', 'from a time span ago (10m) or a date on')
    .option('-n, --tail <lines>', 'the last lines only', (text) => parseCount('tail', text, 0))
    .option('-t, --timestamps', 'with the time of each line', false)
    .option('--json', 'one object a line');
}

function grace(text: string): number {
  return parseCount('time', text, 0);
}

function graceOf({ time }: { readonly time?: number }): { grace?: number } {
  return time === undefined ? {} : { grace: time };
}
