import { parseArgs } from 'node:util';

import { UcpError } from '../../../core/errors.ts';
import { ALIASES, type Flag, flagNamed, type FlagName, FLAGS, REFUSED } from './flags.ts';

/** The command line of `run`, taken apart but not understood yet. */
export interface ParsedFlags {
  /** Its help is asked for; nothing else counts. */
  readonly help: boolean;
  readonly image: string;
  readonly command: readonly string[];
  /** Values in the order given; a switch has 'true' or 'false'. */
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
}

/** For node's parser: names, shorts and which flags take a value. Unknown ones it reports as tokens. */
export const OPTIONS: Record<string, { type: 'string' | 'boolean'; short?: string }> = {};
for (const name of [...Object.keys(FLAGS), ...Object.keys(ALIASES)]) {
  const known = flagNamed(name);
  if (known === undefined) continue;
  const flag: Flag = FLAGS[known];
  const short = name === known && flag.short !== undefined ? { short: flag.short } : {};
  OPTIONS[name] = { type: flag.value === undefined ? 'boolean' : 'string', ...short };
}

/**
 * Takes `[flags] IMAGE [COMMAND…]` apart by docker's rules: flags end at IMAGE, all that follows is the command as it
 * stands. Throws USAGE.
 */
export function parseFlags(args: readonly string[]): ParsedFlags {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<FlagName, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') {
      return { help: false, image: token.value, command: args.slice(token.index + 1), values };
    }
    if (token.kind !== 'option') continue;
    const name = flagNamed(token.name);
    if (name === undefined) throw unknownFlag(token.name, token.rawName);
    if (name === 'help') return { help: true, image: '', command: [], values };
    const given = values.get(name) ?? [];
    values.set(name, [...given, valueOf(name, token.rawName, token.value)]);
  }
  throw new UcpError('USAGE', 'No image was named: ucp-sandbox run [flags] IMAGE [COMMAND…].');
}

function valueOf(name: FlagName, written: string, value: string | undefined): string {
  const flag: Flag = FLAGS[name];
  if (flag.value === undefined) {
    if (value === undefined || value === 'true' || value === '1') return 'true';
    if (value === 'false' || value === '0') return 'false';
    throw new UcpError(
      'USAGE',
      `${written} is a switch: it takes no value but true or false, not ${JSON.stringify(value)}.`,
    );
  }
  if (value === undefined) throw new UcpError('USAGE', `${written} needs a value: ${flag.value}.`);
  return value;
}

function unknownFlag(name: string, written: string): UcpError {
  const reason = REFUSED[name];
  return reason === undefined
    ? new UcpError('USAGE', `There is no flag ${written}: see \`ucp-sandbox run --help\`.`)
    : new UcpError('USAGE', `The flag ${written} is not available: ${reason}.`);
}
