import { toUcpError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { EXIT } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { processHost } from './host.ts';
import { parseRun } from './run-args.ts';

/**
 * `ucpd` with these arguments; resolves with the exit code. `run` goes without the command-line library, which a process
 * that lives for long should not carry.
 */
export async function main(args: readonly string[], program: string): Promise<number> {
  const host = processHost(program);
  const [verb, ...rest] = args;
  if (verb === '--version' || verb === '-V') {
    host.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  try {
    const options = verb === 'run' ? parseRun(rest) : undefined;
    if (options !== undefined) {
      const { run } = await import('./commands/run.ts');
      return await run(options, host);
    }
    const { ucpd } = await import('./program.ts');
    return await ucpd(args, host);
  } catch (thrown) {
    const error = toUcpError(thrown);
    const exitCode = error.code === 'USAGE' ? EXIT.usage : EXIT.failed;
    createOutput(host, { json: args.includes('--json') }).failure(error, exitCode);
    return exitCode;
  }
}
