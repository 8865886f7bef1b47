import { type UcpError, toUcpError } from '../../../core/errors.ts';
import { connectControlPlane } from '../../../sandbox/client/connect.ts';
import { type PreparedRun, prepareRun, type RunDeps } from '../../../sandbox/run/prepare.ts';
import { readSecrets, withoutSecrets } from '../../../sandbox/secrets/read-secrets.ts';
import { Timings } from '../../../sandbox/run/timings.ts';
import { createEngine } from '../../../engine/docker-engine.ts';
import { EXIT } from '../../exit-codes.ts';
import { createOutput, type Output } from '../../output.ts';
import type { CliHost } from '../host.ts';
import { type ParsedFlags, parseFlags } from './parse-flags.ts';
import { pullReporter } from './pull-reporter.ts';
import { runCommand, type RunCommand } from './run-command.ts';
import { userIo } from './user-io.ts';

/**
 * `ucp-sandbox run`. Resolves with the workload's exit code, or 125 when the run was refused or failed; with undefined
 * when its help was asked for.
 */
export async function runMain(args: readonly string[], host: CliHost): Promise<number | undefined> {
  const asks = (flag: string): boolean => args.includes(`--${flag}`);
  const parsed = await guarded(asks, host, async () => parseFlags(args));
  if (typeof parsed === 'number') return parsed;
  return parsed.help ? undefined : runParsed(parsed, host);
}

/** The same of a command line that was taken apart. */
async function runParsed(parsed: ParsedFlags, host: CliHost): Promise<number> {
  const asks = (flag: 'json' | 'debug'): boolean => parsed.values.has(flag);
  return guarded(asks, host, async () => {
    if (!parsed.values.has('serve')) return execute(runCommand(parsed, host.env), host);
    const { serve } = await import('./serve.ts');
    return serve(parsed, host, runParsed);
  });
}

/** What `act` resolves with; 125 when it throws, after its error was told. */
async function guarded<T>(
  asks: (flag: 'json' | 'debug') => boolean,
  host: CliHost,
  act: () => Promise<T>,
): Promise<T | typeof EXIT.refused> {
  try {
    return await act();
  } catch (thrown) {
    const error = toUcpError(thrown);
    if (asks('debug')) host.stderr.write(`${causes(error)}\n`);
    createOutput(host, { json: asks('json') }).failure(error, EXIT.refused);
    return EXIT.refused;
  }
}

async function execute(command: RunCommand, host: CliHost): Promise<number> {
  const { request, quiet } = command;
  const output = createOutput(host, { json: false });
  const io = userIo(host, request);
  const say = (line: string): void => {
    if (!quiet) output.note(line);
  };
  const timings = new Timings();
  timings.mark('command line read');
  const deps: RunDeps = {
    engine: createEngine(host.env, host.home),
    connect: async () => connectControlPlane(withoutSecrets(host, request.secrets ?? [])),
    say,
    pullProgress: quiet ? () => undefined : pullReporter(host.stderr, request.image),
    timings,
  };
  const preview = command.dryRun || command.explain;
  const secrets = request.secrets === undefined || preview ? {} : { secrets: await readSecrets(request.secrets, host) };
  const run = await prepareRun(deps, request, { pull: command.pull, dryRun: preview, ...secrets });
  for (const warning of run.plan.warnings) say(`warning: ${warning}`);
  for (const name of run.compiled.droppedEnv) {
    say(`warning: ${name} of the image loads code into programs and is removed; give it with -e if policy permits it`);
  }
  if (preview) return await show(run, command, output);
  const exitCode = await start(deps, run, host, io);
  if (command.timings) for (const line of timings.lines()) host.stderr.write(`${line}\n`);
  return exitCode;
}

async function start(deps: RunDeps, run: PreparedRun, host: CliHost, io: ReturnType<typeof userIo>): Promise<number> {
  if (run.request.mode === 'attached') {
    const { runAttached } = await import('../../../sandbox/run/attached.ts');
    return runAttached(deps, run, io);
  }
  const { runDetached } = await import('../../../sandbox/run/detached.ts');
  host.stdout.write(`${await runDetached(deps, run)}\n`);
  return EXIT.ok;
}

/** `--dry-run` and `--explain`: the answer is ours, so it goes to stdout. */
async function show(run: PreparedRun, command: RunCommand, output: Output): Promise<number> {
  const { preview } = await import('./preview.ts');
  preview(run, command, output);
  run.client.close();
  return EXIT.ok;
}

function causes(error: UcpError): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : '';
  return `${error.stack}${cause}`;
}
