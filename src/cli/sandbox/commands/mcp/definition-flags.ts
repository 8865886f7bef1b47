import { resolve } from 'node:path';

import { UcpError } from '../../../../core/errors.ts';
import type { MountRequest } from '../../../../core/run-request.ts';
import { type Flag, type FlagName, FLAGS } from '../../run/flags.ts';
import type { ParsedFlags } from '../../run/parse-flags.ts';
import { runCommand } from '../../run/run-command.ts';
import { parseMount } from '../../values/mount.ts';
import { writtenSecret } from '../../values/secret.ts';
import { parseVolume } from '../../values/volume.ts';

/** What `mcp run` says by itself. */
const IMPLIED: ReadonlySet<FlagName> = new Set(['interactive', 'rm', 'init', 'mcp', 'pull']);

/** Flags that make no sense in a definition, and why. */
const REFUSED: Partial<Record<FlagName, string>> = {
  name: 'each client gets a sandbox of its own, named after the server',
  detach: 'a stdio server ends with its client',
  restart: 'a stdio server ends with its client',
  tty: 'a terminal changes the bytes',
  'dry-run': 'give it to `mcp run`',
  explain: 'give it to `mcp run`',
  timings: 'give it to `mcp run`',
  serve: 'give it to `mcp run`',
  'mcp-token': 'give it to `mcp run`',
  debug: 'give it to `mcp run`',
};

/**
 * The flags of a definition as `--name=value`, understood once to see that they make sense, with absolute paths: a client
 * starts its servers in any directory. Variables without a value stay names. Throws USAGE, FILE_UNREADABLE.
 */
export function definitionFlags(
  parsed: ParsedFlags,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  for (const name of parsed.values.keys()) {
    const reason = REFUSED[name];
    if (reason !== undefined) throw new UcpError('USAGE', `--${name} cannot be part of a definition: ${reason}.`);
  }
  const { request } = runCommand(parsed, env);
  if (request.mcp !== undefined && request.mcp !== 'stdio') {
    throw new UcpError('USAGE', `A definition is of a stdio server: leave out --mcp=http:${request.mcp.port}.`);
  }
  return [...parsed.values]
    .filter(([name]) => !IMPLIED.has(name))
    .flatMap(([name, values]) => values.map((value) => written(name, value)));
}

function written(name: FlagName, value: string): string {
  const flag: Flag = FLAGS[name];
  if (flag.value === undefined) return value === 'true' ? `--${name}` : `--${name}=false`;
  return `--${name}=${absolute(name, value)}`;
}

function absolute(name: FlagName, value: string): string {
  if (name === 'volume') return volume(parseVolume(value));
  if (name === 'mount') return mount(parseMount(value), value);
  if (name === 'secret') return writtenSecret(value);
  if (name === 'env-file' || name === 'policy' || name === 'policy-key') return resolve(value);
  return value;
}

function volume({ source, target, readOnly }: MountRequest): string {
  return `${source}:${target}:${readOnly ? 'ro' : 'rw'}`;
}

function mount({ type, source, target, readOnly }: MountRequest, text: string): string {
  return type === 'bind' ? `type=bind,source=${source},target=${target},readonly=${readOnly}` : text;
}
