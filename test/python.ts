import { join, resolve } from 'node:path';

import { execa } from 'execa';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * A program of one of the virtual environments of sensors/python/requirements, e.g. `mcp1`; they are made first where
 * they are missing or out of date.
 */
export async function pythonProgram(set: string, name = 'python'): Promise<string> {
  await execa(join(ROOT, 'scripts/setup-python.sh'), { stdout: 'ignore' });
  return join(ROOT, '.cache/python', set, 'bin', name);
}
