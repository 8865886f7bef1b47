import { VERSION } from '../../core/version.ts';
import { drained, onBrokenPipes } from '../outlet.ts';
import { type CliHost, processHost } from './host.ts';
import { runMain } from './run/run-main.ts';

/** Another word for `network ls`. */
const LIST_NETWORKS = '--list-network-configs';

/**
 * `ucp-sandbox` with these arguments; resolves with the exit code. `ucpd` is the path of that program. `run` and `mcp run`
 * are parsed and started without the command-line library, which costs more than all of the parsing: see docs/performance.md.
 */
export async function main(args: readonly string[], ucpd: string): Promise<number> {
  const host = processHost(ucpd);
  // A run that nobody reads any more ends its sandbox first.
  const runs = args[0] === 'run' || (args[0] === 'mcp' && args[1] === 'run');
  onBrokenPipes(host.stdout, host.stderr, runs ? undefined : (code) => process.exit(code));
  const exitCode = await dispatch(args, host);
  await drained(host.stdout, host.stderr);
  return exitCode;
}

async function dispatch(args: readonly string[], host: CliHost): Promise<number> {
  const [verb, ...rest] = args[0] === LIST_NETWORKS ? ['network', 'ls', ...args.slice(1)] : args;
  if (verb === 'run') {
    const exitCode = await runMain(rest, host);
    if (exitCode !== undefined) return exitCode;
  }
  if (verb === 'mcp' && rest[0] === 'run') {
    const { mcpRun } = await import('./commands/mcp/run.ts');
    const exitCode = await mcpRun(rest.slice(1), host);
    if (exitCode !== undefined) return exitCode;
  }
  if (verb === '--version' || verb === '-V') {
    host.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { program } = await import('./program.ts');
  return program(verb === undefined ? [] : [verb, ...rest], host);
}
