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
  const flags = args.filter((arg) => arg.startsWith('-'));
  const [name, ...more] = args.filter((arg) => !arg.startsWith('-'));
  const unknown = flags.find((flag) => !OF_A_START.has(flag));
  if (unknown !== undefined) {
    throw new UcpError('USAGE', `${unknown} is not a flag of \`mcp run\`: flags of the sandbox belong to \`mcp add\`.`);
  }
  if (name === undefined || more.length > 0) {
    throw new UcpError('USAGE', 'Expected one name: ucp-sandbox mcp run [flags] NAME.');
  }
  return { name, flags };
}
