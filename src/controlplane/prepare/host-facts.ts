import { readFileSync, realpathSync } from 'node:fs';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { dirname } from 'node:path';

import type { HostPaths } from '../../core/paths.ts';
import { SERVICE_PATHS } from '../../core/paths.ts';
import type { OptionsContext } from '../../policy/decide/options.ts';
import { defaultLimits } from './limits.ts';

/** What decisions about a request need to know of this host. */
export function optionsContext(paths: HostPaths, configFrom: string): OptionsContext {
  return {
    defaults: defaultLimits({ memory: totalmem(), cpus: availableParallelism() }),
    places: {
      homes: homeDirectories(),
      own: [paths.stateDir, dirname(paths.socket), configFrom, SERVICE_PATHS.stateDir, dirname(SERVICE_PATHS.config)],
    },
    realPath: (path) => {
      try {
        return realpathSync(path);
      } catch {
        return path;
      }
    },
  };
}

/** User ids of people; the accounts below them own programs and services. */
const FIRST_USER = 1_000;
const LAST_USER = 59_999;

/** Homes of root and of this host's people, as far as the list of users can be read. */
function homeDirectories(): readonly string[] {
  const homes = passwdLines().flatMap(([, , uid, , , home]) =>
    home !== undefined && Number(uid) >= FIRST_USER && Number(uid) <= LAST_USER ? [home] : [],
  );
  return [...new Set([homedir(), '/root', ...homes])].filter((home) => home.startsWith('/') && home.length > 1);
}

function passwdLines(): readonly (readonly string[])[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return [];
  }
}
