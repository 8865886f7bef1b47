import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { UcpError } from '../core/errors.ts';

/** Where the parts of this installation are. Absolute paths. */
export interface Install {
  readonly init: string;
  /** Directory of the privileged helpers' programs: the root of their image. */
  readonly helpers: string;
  /** The same as a tar file. */
  readonly helperImage: string;
  /** Directory of the app sensors' bundles. */
  readonly sensors: string;
  readonly seccomp: string;
  /** Network configurations that runs may name where the policy has none. */
  readonly networkPresets: string;
  readonly defaultPolicy: (edition: 'free' | 'full') => string;
}

/** The installation that this program belongs to, whether it runs from its sources or from the bundle. */
export function findInstall(from: string = import.meta.dirname): Install {
  const root = packageRoot(from);
  return {
    init: join(root, 'dist/native/ucp-init'),
    helpers: join(root, 'dist/native/helper'),
    helperImage: join(root, 'dist/native/helper.tar'),
    sensors: join(root, 'dist/sensors'),
    seccomp: join(root, 'profiles/seccomp/default.json'),
    networkPresets: join(root, 'profiles/network/presets.json'),
    defaultPolicy: (edition) => join(root, `profiles/policy/${edition}.json`),
  };
}

/** `path`, which must exist. Throws INSTALL_INCOMPLETE. */
export function installed(path: string): string {
  if (existsSync(path)) return path;
  throw new UcpError('INSTALL_INCOMPLETE', `A part of UCP is missing: ${path}. Run \`npm run build\`.`);
}

/** The bytes of a file of the installation. Throws INSTALL_INCOMPLETE. */
export function readInstalled(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UcpError('INSTALL_INCOMPLETE', `A part of UCP is missing: ${path}. Run \`npm run build\`.`, { cause });
  }
}

function packageRoot(from: string): string {
  for (let dir = from; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json'))) return dir;
    if (dir === dirname(dir)) throw new UcpError('INSTALL_INCOMPLETE', `No package.json is above ${from}.`);
  }
}
