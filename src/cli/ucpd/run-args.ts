import { parseArgs } from 'node:util';

import { UcpError } from '../../core/errors.ts';

/** The flags of `ucpd run`. */
export interface RunOptions {
  readonly config: string | undefined;
  readonly onDemand: boolean;
}

/** The flags of `ucpd run`; undefined when help is asked for. Throws USAGE. */
export function parseRun(args: readonly string[]): RunOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        config: { type: 'string' },
        'on-demand': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values.help ? undefined : { config: values.config, onDemand: values['on-demand'] };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UcpError('USAGE', `${message} \`ucpd run --help\` lists the flags.`, { cause });
  }
}
