import { toUcpError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { EXIT } from '../exit-codes.ts';
import { drained, onBrokenPipes } from '../outlet.ts';
import { createOutput } from '../output.ts';
import { processHost, type UcpdHost } from './host.ts';
import { parseRun } from './run-args.ts';

/**
 * `ucpd` with these arguments; resolves with the exit code. `run` goes without the command-line library, which a process
 * that lives for long should not carry.
 */
export async function main(args: readonly string[], program: string): Promise<number> {
  const host = processHost(program);
  const { stdout, stderr } = process;
  // Its log's reader may go, the control plane stays.
  onBrokenPipes(stdout, stderr, args[0] === 'run' ? undefined : (code) => process.exit(code));
  const exitCode = await dispatch(args, host);
  await drained(stdout, stderr);
  return exitCode;
}

async function dispatch(args: readonly string[], host: UcpdHost): Promise<number> {
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
