import { parseArgs } from 'node:util';

import { UcpError } from '../../../../core/errors.ts';
import { badValue } from '../../values/usage.ts';
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
  /** For a package: the image below it, and the registry that it comes from. */
  readonly base?: string;
  readonly registry?: string;
}

/** The flags of `add` itself; all others are those of `run`. */
const OWN = {
  force: { type: 'boolean' },
  'no-check': { type: 'boolean' },
  json: { type: 'boolean' },
  base: { type: 'string' },
  registry: { type: 'string' },
} as const;

function isOwn(name: string): name is keyof typeof OWN {
  return Object.hasOwn(OWN, name);
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** NAME, the flags of `add` itself, and the places of both among the arguments. */
interface Split {
  name: string | undefined;
  help: boolean;
  readonly own: Map<string, string>;
  readonly taken: Set<number>;
}

/** Reads up to IMAGE, which is the second word that is no flag. */
function split(tokens: readonly Token[]): Split {
  const found: Split = { name: undefined, help: false, own: new Map(), taken: new Set() };
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (found.name !== undefined) break;
      found.name = token.value;
      found.taken.add(token.index);
    } else if (token.kind === 'option') {
      takeOption(token, found);
    }
  }
  return found;
}

function takeOption(token: Extract<Token, { readonly kind: 'option' }>, found: Split): void {
  if (token.name === 'help') found.help = true;
  if (!isOwn(token.name)) return;
  if (token.value === undefined && OWN[token.name].type === 'string') throw badValue(token.name, 'a value', '');
  found.own.set(token.name, token.value ?? 'true');
  found.taken.add(token.index);
  if (token.inlineValue === false) found.taken.add(token.index + 1);
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
  const { name, own, taken, help } = split(tokens);
  if (help) return undefined;
  if (name === undefined) throw new UcpError('USAGE', 'No name was given: ucp-sandbox mcp add NAME [flags] IMAGE.');
  const [base, registry] = [own.get('base'), own.get('registry')];
  return {
    ...(base === undefined ? {} : { base }),
    ...(registry === undefined ? {} : { registry }),
    name,
    run: parseFlags(args.filter((_, index) => !taken.has(index))),
    force: own.get('force') === 'true',
    check: own.get('no-check') !== 'true',
    json: own.get('json') === 'true',
  };
}
