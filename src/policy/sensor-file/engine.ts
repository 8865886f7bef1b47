import { UcpError } from '../../core/errors.ts';
import type { Engine } from '../decide/engine.ts';
import type { List } from '../glob/list.ts';
import type { SensorPrograms } from './programs.ts';

/**
 * Reads compiled rules from the sensors' policy file; needs no compilers, so the JavaScript sensor's bundle stays
 * small. Throws INTERNAL for a rule that the file doesn't have: a rule is never left out silently.
 */
export function fileEngine(programs: SensorPrograms): Engine {
  return {
    regex: (source) => programs.regex[source] ?? missing(`the program of the regular expression ${source}`),
    builtin: (set) => programs.builtin[set] ?? missing(`the builtin set ${set}`),
    globs: (entries) => sourceList(entries.map((glob) => programs.globs[glob] ?? missing(`the glob ${glob}`))),
  };
}

/** Lists of a sensor are short: they are tried one by one. Doubled slashes count as one. */
function sourceList(sources: readonly string[]): List {
  const regexes: RegExp[] = [];
  return {
    find: (text) => {
      const collapsed = text.includes('//') ? text.replaceAll(/\/{2,}/g, '/') : text;
      return sources.findIndex((source, index) => (regexes[index] ??= new RegExp(source, 'u')).test(collapsed));
    },
  };
}

function missing(what: string): never {
  throw new UcpError('INTERNAL', `The policy file does not have ${what}; it was written by another version of UCP.`);
}
