import { toUcpError, UcpError } from '../../../../core/errors.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import { EXIT } from '../../../exit-codes.ts';
import { createOutput } from '../../../output.ts';
import type { CliHost } from '../../host.ts';
import { runMain } from '../../run/run-main.ts';
import { runArguments } from './run-arguments.ts';

/** Flags of `run` that concern one start and not the server. */
const OF_A_START: ReadonlySet<string> = new Set([
  '--json',
  '--debug',
  '--timings',
  '--quiet',
  '-q',
  '--dry-run',
  '--explain',
]);
const WITH_VALUE: ReadonlySet<string> = new Set(['--serve', '--mcp-token']);

/**
 * `mcp run [flags] NAME`: `run --mcp stdio` of a definition, what clients' configurations call. Resolves with the
 * server's exit code, with 125 when it was refused, with undefined when help was asked for.
 */
export async function mcpRun(args: readonly string[], host: CliHost): Promise<number | undefined> {
  if (args.includes('--help')) return undefined;
  try {
    const { name, flags } = parse(args);
    const definition = new ServerStore(host.env, host.home).read(name);
    return await runMain([...flags, ...runArguments(name, definition)], host);
  } catch (thrown) {
    createOutput(host, { json: args.includes('--json') }).failure(toUcpError(thrown), EXIT.refused);
    return EXIT.refused;
  }
}

function parse(args: readonly string[]): { readonly name: string; readonly flags: readonly string[] } {
  const flags: string[] = [];
  const names: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const [flag = ''] = arg.split('=', 1);
    if (!arg.startsWith('-')) names.push(arg);
    else if (WITH_VALUE.has(flag)) flags.push(arg.includes('=') ? arg : `${arg}=${args[++at] ?? ''}`);
    else if (OF_A_START.has(arg)) flags.push(arg);
    else
      throw new UcpError('USAGE', `${arg} is not a flag of \`mcp run\`: flags of the sandbox belong to \`mcp add\`.`);
  }
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new UcpError('USAGE', 'Expected one name: ucp-sandbox mcp run [flags] NAME.');
  }
  return { name, flags };
}
