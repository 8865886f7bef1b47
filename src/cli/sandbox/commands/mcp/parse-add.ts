import { parseArgs } from 'node:util';

import { UcpError } from '../../../../core/errors.ts';
import { OPTIONS, type ParsedFlags, parseFlags } from '../../run/parse-flags.ts';

/** `mcp add NAME [flags] IMAGE [ARGS…]`, taken apart but not understood yet. */
export interface ParsedAdd {
  readonly name: string;
  readonly run: ParsedFlags;
  /** Replaces a definition of that name. */
  readonly force: boolean;
  /** Whether the server is started once and asked for its tools. */
  readonly check: boolean;
  readonly json: boolean;
}

/** The flags of `add` itself; all others are those of `run`. */
const OWN = { force: { type: 'boolean' }, 'no-check': { type: 'boolean' }, json: { type: 'boolean' } } as const;

function isOwn(name: string): name is keyof typeof OWN {
  return Object.hasOwn(OWN, name);
}

/**
 * Takes the command line of `mcp add` apart: flags may stand before and after NAME and end at IMAGE. Undefined when help is
 * asked for. Throws USAGE.
 */
export function parseAdd(args: readonly string[]): ParsedAdd | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...OPTIONS, ...OWN },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const own = new Map<string, string>();
  const taken = new Set<number>();
  let name: string | undefined;
  let help = false;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (name !== undefined) break;
      name = token.value;
      taken.add(token.index);
    } else if (token.kind === 'option' && token.name === 'help') {
      help = true;
    } else if (token.kind === 'option' && isOwn(token.name)) {
      own.set(token.name, token.value ?? 'true');
      taken.add(token.index);
    }
  }
  if (help) return undefined;
  if (name === undefined) throw new UcpError('USAGE', 'No name was given: ucp-sandbox mcp add NAME [flags] IMAGE.');
  return {
    name,
    run: parseFlags(args.filter((_, index) => !taken.has(index))),
    force: own.get('force') === 'true',
    check: own.get('no-check') !== 'true',
    json: own.get('json') === 'true',
  };
}
