import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { make } from './recipe.ts';

/** From the package busybox-static. */
const BUSYBOX = '/bin/busybox';
export const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin';

/** What the root file system of {@link fillBusybox} depends on. */
export const busyboxInputs = (): readonly Buffer[] => [readFileSync(BUSYBOX)];

/** A small userland: every applet in /bin, the usual directories, root, nobody and the user `app` (1000). */
export function fillBusybox(root: string): void {
  for (const dir of [
    'bin',
    'etc',
    'proc',
    'sys',
    'dev',
    'srv',
    'root',
    'home',
    'usr/bin',
    'usr/local/bin',
    'var',
    'tmp',
  ]) {
    mkdirSync(join(root, dir), { recursive: true, mode: 0o755 });
  }
  chmodSync(root, 0o755);
  chmodSync(join(root, 'tmp'), 0o1777);
  copyFileSync(BUSYBOX, join(root, 'bin/busybox'));
  chmodSync(join(root, 'bin/busybox'), 0o755);
  const applets = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).split('\n');
  for (const applet of applets.filter((name) => name !== '' && name !== 'busybox')) {
    symlinkSync('busybox', join(root, 'bin', applet));
  }
  symlinkSync('/bin/env', join(root, 'usr/bin/env'));
  const accounts = ['root:x:0:0::/root:/bin/sh', 'app:x:1000:1000::/tmp:/bin/sh', 'nobody:x:65534:65534::/:/bin/sh'];
  writeFileSync(join(root, 'etc/passwd'), `${accounts.join('\n')}\n`);
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\napp:x:1000:\nnogroup:x:65534:\n');
}

/** BusyBox with a shell; no entrypoint, `sh` as command. */
export function busybox(): Promise<string> {
  return make({ name: 'busybox', inputs: busyboxInputs(), changes: [`ENV ${PATH}`, 'CMD ["sh"]'], fill: fillBusybox });
}

/** One program and nothing else, not even a directory: `/uname`, BusyBox's applet of that name. */
export function scratch(): Promise<string> {
  return make({
    name: 'scratch',
    inputs: busyboxInputs(),
    changes: ['ENTRYPOINT ["/uname"]'],
    fill: (root) => {
      chmodSync(root, 0o755);
      copyFileSync(BUSYBOX, join(root, 'uname'));
      chmodSync(join(root, 'uname'), 0o755);
    },
  });
}
