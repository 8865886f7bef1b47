import { Command, CommanderError } from 'commander';

import { UcpError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { EXIT } from '../exit-codes.ts';
import { withExamples } from '../examples.ts';
import { onBrokenPipes } from '../outlet.ts';
import { type CliIo, createOutput } from '../output.ts';
import type { Cli } from './cli.ts';

interface Verb {
  readonly summary: string;
  readonly load: () => Promise<{ command: (cli: Cli) => Command }>;
}

/** Each verb is a module that is loaded when it is asked for. */
const VERBS: Readonly<Record<string, Verb>> = {
  init: { summary: 'write a new policy from a template', load: () => import('./commands/init.ts') },
  validate: { summary: 'report every problem of a policy file', load: () => import('./commands/validate.ts') },
  normalize: { summary: 'rewrite another layout in the canonical one', load: () => import('./commands/normalize.ts') },
  explain: { summary: 'say in sentences what a policy means', load: () => import('./commands/explain.ts') },
  check: { summary: 'ask a policy one question', load: () => import('./commands/check.ts') },
  test: { summary: 'ask a policy a table of questions', load: () => import('./commands/test.ts') },
  diff: { summary: 'compare two policies by what they mean', load: () => import('./commands/diff.ts') },
  keygen: { summary: 'make a key pair for signing', load: () => import('./commands/keygen.ts') },
  sign: { summary: 'sign a policy file', load: () => import('./commands/sign.ts') },
  verify: { summary: "verify a policy file's signature", load: () => import('./commands/verify.ts') },
  publish: { summary: 'publish a signed policy to a bucket or directory', load: () => import('./commands/publish.ts') },
  schema: { summary: 'print the JSON Schema for editors', load: () => import('./commands/schema.ts') },
};

/** Adds every verb to `program`; those that are not `wanted` by their name alone. */
export async function addVerbs(program: Command, cli: Cli, wanted: (name: string) => boolean): Promise<void> {
  for (const [name, { summary, load }] of Object.entries(VERBS)) {
    const command = wanted(name) ? (await load()).command(cli) : new Command(name);
    program.addCommand(command.summary(summary).description(command.description() || summary));
  }
  withExamples(program);
}

/** Runs `ucp-policy` with these arguments; the exit code. `root` is the directory of the package. */
export async function main(argv: readonly string[], root: string, io: CliIo = process): Promise<number> {
  if (io === process) onBrokenPipes(process.stdout, process.stderr, (code) => process.exit(code));
  const cli: Cli = { io, root, exitCode: EXIT.ok };
  const program = new Command('ucp-policy')
    .description('Write, check, sign and publish UCP policies.')
    .version(VERSION)
    .helpCommand(false)
    .enablePositionalOptions()
    .action(() => {
      program.outputHelp();
      cli.exitCode = EXIT.usage;
    });
  const asked = argv.find((word) => !word.startsWith('-'));
  await addVerbs(program, cli, (name) => name === asked);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // Reported below, in our form.
      writeErr: () => {},
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return cli.exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return EXIT.ok;
    const json = argv.includes('--json');
    const message = `${thrown.message.replace(/^error: /, '')}. See ucp-policy ${asked === undefined ? '' : `${asked} `}--help.`;
    createOutput(io, { json }).failure(new UcpError('USAGE', message), EXIT.usage);
    return EXIT.usage;
  }
}
