import { basename, isAbsolute } from 'node:path';

import { toUcpError } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { isObject } from '../../../../sandbox/servers/shape.ts';
import { parseFlags } from '../../run/parse-flags.ts';

/** How a client's own server is defined as a sandboxed one, or why it can't be. */
export type Wrapped =
  | { readonly flags: readonly string[]; readonly image: string; readonly args: readonly string[] }
  | { readonly reason: string };

/** Flags that change nothing about what a package is. */
const HARMLESS: ReadonlySet<string> = new Set(['-y', '--yes', '-q', '--quiet']);

/**
 * What `mcp add` has to be told for an entry that runs `npx …`, `uvx …` or `docker run …`. Directories and files among a
 * package's arguments are mounted where they are, read-only; variables of the entry are named, their values stay in the
 * client's file. `exists` says whether a path of this host does.
 */
export function wrapEntry(entry: JsonObject, exists: (path: string) => boolean): Wrapped {
  const { command, args, env } = entry;
  if (typeof command !== 'string') return { reason: 'it is not started by a command' };
  const words = Array.isArray(args) ? args.map(String) : [];
  const named = Object.keys(isObject(env) ? env : {}).flatMap((name) => ['-e', name]);
  const program = basename(command);
  if (program === 'npx' || program === 'uvx') return wrapPackage(program, words, named, exists);
  if (program === 'docker' && words[0] === 'run') return wrapDocker(words.slice(1), named);
  return { reason: `${program} is neither npx, uvx nor docker run: build an image and use \`ucp-sandbox mcp add\`` };
}

function wrapPackage(
  program: 'npx' | 'uvx',
  words: readonly string[],
  named: readonly string[],
  exists: (path: string) => boolean,
): Wrapped {
  const at = words.findIndex((word) => !HARMLESS.has(word));
  const spec = words[at];
  if (spec === undefined || spec.startsWith('-')) return { reason: `its ${program} has the flag ${spec ?? '(none)'}` };
  const args = words.slice(at + 1);
  const paths = args.filter((word) => isAbsolute(word) && exists(word));
  const mounts = [...new Set(paths)].flatMap((path) => ['-v', `${path}:${path}`]);
  return { flags: [...named, ...mounts], image: `${program}:${spec}`, args };
}

/** docker's own words: the flags of `run` have its names. Mounts that were writable stay so. */
function wrapDocker(words: readonly string[], named: readonly string[]): Wrapped {
  try {
    const { image, command, values } = parseFlags(words);
    const dropped = new Set(['interactive', 'rm', 'init', 'tty', 'name', 'detach']);
    const flags = [...values]
      .filter(([name]) => !dropped.has(name))
      .flatMap(([name, given]) => given.map((value) => `--${name}=${name === 'volume' ? asDocker(value) : value}`));
    const missing = named.filter((_, index) => !flags.includes(`--env=${named[index - (index % 2) + 1]}`));
    return { flags: [...flags, ...missing], image, args: command };
  } catch (thrown) {
    return { reason: toUcpError(thrown).message };
  }
}

/** A volume of docker is writable unless it says ro. */
function asDocker(volume: string): string {
  return /:(?:ro|rw)$/.test(volume) ? volume : `${volume}:rw`;
}
