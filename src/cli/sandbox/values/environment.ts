import { readFileSync } from 'node:fs';

import { UcpError } from '../../../core/errors.ts';
import { badValue } from './usage.ts';

type HostEnv = Readonly<Record<string, string | undefined>>;

/** One `KEY=VALUE`, or `KEY` with the host's value; undefined when the host has none, as docker does. */
function parseVariable(flag: string, text: string, host: HostEnv): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  if (name === '' || /[\s\0]/.test(name)) throw badValue(flag, 'KEY or KEY=VALUE', text);
  if (at !== -1) return [name, text.slice(at + 1)];
  const value = host[name];
  return value === undefined ? undefined : [name, value];
}

/** Variables of the files, then those of `-e`; the later one wins. Throws USAGE, FILE_UNREADABLE. */
export function parseEnvironment(
  files: readonly string[],
  variables: readonly string[],
  host: HostEnv,
): Readonly<Record<string, string>> {
  const fromFiles = files.flatMap(fileLines).map((line) => parseVariable('env-file', line, host));
  const given = variables.map((text) => parseVariable('env', text, host));
  return Object.fromEntries([...fromFiles, ...given].filter((pair) => pair !== undefined));
}

/** Docker's env-file: one variable a line, no quoting; lines that are empty or start with # are skipped. */
function fileLines(path: string): readonly string[] {
  try {
    const lines = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    return lines.map((line) => line.trimStart()).filter((line) => line !== '' && !line.startsWith('#'));
  } catch (cause) {
    throw new UcpError('FILE_UNREADABLE', `The env file ${path} cannot be read: check the path and its permissions.`, {
      cause,
    });
  }
}
