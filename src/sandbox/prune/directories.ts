import { readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PACKAGE_DIR } from '../packages/build-package.ts';

/** No fetching of a package takes this long, ms. */
const LONGEST = 3_600_000;

/** This user's directories of fetched packages in which nothing has changed for an hour: the program is gone. */
export function fetchedDirectories(now: number): readonly string[] {
  return entries(tmpdir())
    .filter((name) => name.startsWith(PACKAGE_DIR))
    .map((name) => join(tmpdir(), name))
    .filter((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isDirectory() === true && found.uid === process.getuid?.() && now - found.mtimeMs > LONGEST;
    });
}

/** Names in a directory; none where it is missing or closed to us. */
export function entries(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
