import { execa } from 'execa';

import { make } from './recipe.ts';

/** Packages on top of debootstrap's minimal system. */
const PACKAGES = 'systemd,dbus';
const SUITE = 'bookworm';

/** Debian with systemd as PID 1, for tests of the service. Needs root (debootstrap) and takes about a minute, once. */
export function systemd(): Promise<string> {
  return make({
    name: 'systemd',
    inputs: [SUITE, PACKAGES],
    changes: [
      // As on a real machine: what systemd mounts aside for a unit, its credentials among it, must come back to here.
      'CMD ["sh","-c","mount --make-rshared / && exec /lib/systemd/systemd"]',
      'ENV container=docker',
      'STOPSIGNAL SIGRTMIN+3',
    ],
    fill: async (root) => {
      await execa('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, root], { stdout: 'ignore' });
    },
  });
}
