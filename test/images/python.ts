import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { pythonProgram } from '../python.ts';
import { make } from './recipe.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SUITE = 'bookworm';
const PACKAGES = 'python3-minimal,python3';
/** Where Debian's Python looks for what its administrator installed. */
const LIBRARIES = 'usr/local/lib/python3.11/dist-packages';
/** The image's files have no times of their own, by which Python would find its compiled code out of date. */
const COMPILE =
  'python3 -m compileall -q -f --invalidation-mode unchecked-hash /usr/lib/python3.11 /usr/local/lib'.split(' ');
const REQUIREMENTS = join(ROOT, 'sensors/python/requirements/mcp2.txt');

/**
 * Debian with its own Python 3.11 and the MCP SDK 2.x, pinned by sensors/python/requirements; `python3` as command. Needs
 * root (debootstrap) and takes about a minute, once.
 */
export function python(): Promise<string> {
  return make({
    name: 'python',
    inputs: [SUITE, PACKAGES, COMPILE.join(' '), readFileSync(REQUIREMENTS)],
    changes: ['CMD ["python3"]'],
    fill: async (root) => {
      await execa('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, root], { stdout: 'ignore' });
      const target = ['--target', join(root, LIBRARIES), '--python-version', '3.11', '--only-binary', ':all:'];
      const install = ['pip', 'install', '--quiet', '--requirement', REQUIREMENTS, ...target];
      await execa(await pythonProgram('tools', 'uv'), install);
      // Some of the standard library's files are examples of bad syntax.
      await execa('chroot', [root, ...COMPILE], { reject: false });
    },
  });
}
