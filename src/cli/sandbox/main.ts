import { VERSION } from '../../core/version.ts';
import { processHost } from './host.ts';
import { runMain } from './run/run-main.ts';

/** Another word for `network ls`. */
const LIST_NETWORKS = '--list-network-configs';

/**
 * `ucp-sandbox` with these arguments; resolves with the exit code. `ucpd` is the path of that program. `run` and `mcp run`
 * are parsed and started without the command-line library, which costs more than all of the parsing: see docs/performance.md.
 */
export async function main(args: readonly string[], ucpd: string): Promise<number> {
  const host = processHost(ucpd);
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
